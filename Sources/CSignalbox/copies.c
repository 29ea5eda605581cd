// copies.c — warns if a process has loaded this library more than once, because
// each copy has threads and queues of its own.
//
// Every copy carries a note, which the loader maps and `dl_iterate_phdr` finds
// even if the copy's symbols are hidden. A copy counts the notes when it is
// loaded. Of copies that are loaded together, only the last in the loader's
// order prints the warning.

#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "CSignalbox/trap.h"

#define NOTE_NAME "Signalbox"

struct note {
  ElfW(Nhdr) header;
  /// The name, padded to a multiple of four bytes.
  char name[12];
  uint32_t version;
};

/// AddressSanitizer would align the note and put a gap behind it. The linker
/// then makes two overlapping lists of notes that both contain this one.
__attribute__((section(".note.signalbox"), used, aligned(4), no_sanitize("address")))
static const struct note this_copy = {
    .header = {.n_namesz = sizeof NOTE_NAME, .n_descsz = 4, .n_type = 1},
    .name = NOTE_NAME,
    .version = 1,
};

struct search {
  int copies;
  /// Whether the copy found last is this one.
  int is_this;
  size_t length;
  char names[768];
};

static int is_note_of_ours(const char *bytes, size_t left) {
  const ElfW(Nhdr) *header = (const void *)bytes;
  return header->n_namesz == sizeof NOTE_NAME && left >= sizeof(struct note) &&
         memcmp(bytes + sizeof *header, NOTE_NAME, sizeof NOTE_NAME) == 0;
}

static void found(struct search *search, const char *where, const char *note) {
  search->copies++;
  search->is_this = note == (const char *)&this_copy;
  int added = snprintf(search->names + search->length,
                       sizeof search->names - search->length, "%s%s",
                       search->copies == 1 ? "" : ", ",
                       where && where[0] ? where : "the program");
  // Names that do not fit are truncated; the message gives their number in any
  // case.
  search->length += (size_t)(added > 0 ? added : 0);
  if (search->length >= sizeof search->names)
    search->length = sizeof search->names - 1;
}

static int look(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_NOTE) continue;
    const char *bytes = (const char *)(object->dlpi_addr + part->p_vaddr);
    size_t step = part->p_align == 8 ? 8 : 4;
    size_t left = part->p_memsz;
    while (left >= sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *header = (const void *)bytes;
      size_t name = (header->n_namesz + step - 1) / step * step;
      size_t description = (header->n_descsz + step - 1) / step * step;
      size_t length = sizeof *header + name + description;
      if (is_note_of_ours(bytes, left))
        found(context, object->dlpi_name, bytes);
      if (length > left) break;
      bytes += length;
      left -= length;
    }
  }
  return 0;
}

/// Takes a microsecond or two: a few tens of objects with two notes each.
__attribute__((constructor)) static void count_copies(void) {
  struct search search = {0};
  dl_iterate_phdr(look, &search);
  if (search.copies < 2 || !search.is_this) return;
  char text[1024];
  snprintf(text, sizeof text,
           "SIGNALBOX: this process has loaded %d copies of Signalbox, each with "
           "threads and queues of its own: in %s. Link it once, as a dynamic "
           "library, into all of them.",
           search.copies, search.names);
  csb_warn(text);
}
