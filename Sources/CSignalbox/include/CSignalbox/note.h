// note.h — the notes that Signalbox leaves in each program or library that it is linked into. A
// tool finds them in the file, and a process in its own memory, even if symbols are hidden.
#pragma once

#include <link.h>
#include <stdint.h>

#define CSB_NOTE_NAME "Signalbox"

/// The engine: threads and queues.
#define CSB_NOTE_ENGINE 1
/// Dispatch's C functions, implemented on the engine.
#define CSB_NOTE_DISPATCH 2
/// Where the table for readers in other processes is: see outside.h. The note contains a number:
/// the distance from the number's own address to the table.
#define CSB_NOTE_OUTSIDE 3

struct csb_note {
  ElfW(Nhdr) header;
  /// The name, padded to a multiple of four bytes.
  char name[12];
  uint32_t version;
};

/// Defines a note of this type.
///
/// AddressSanitizer would align the note and put a gap behind it; the linker would then make two
/// overlapping lists of notes that both contain this one.
#define CSB_NOTE(variable, type)                                                               \
  __attribute__((section(".note.signalbox"), used, aligned(4), no_sanitize("address")))        \
  static const struct csb_note variable = {                                                    \
      .header = {.n_namesz = sizeof CSB_NOTE_NAME, .n_descsz = 4, .n_type = (type)},           \
      .name = CSB_NOTE_NAME,                                                                   \
      .version = 1,                                                                            \
  }
