// copies.c — warns if a process has loaded this library more than once, because
// each copy has threads and queues of its own.
//
// Every copy carries a note, which the loader maps and `dl_iterate_phdr` finds
// even if the copy's symbols are hidden. A copy that brings Dispatch's C
// functions carries another one. A copy counts the notes when it is loaded. Of
// copies that are loaded together, only the last in the loader's order prints
// the warning.
//
// Of copies that bring Dispatch's C functions, only the one to which the dynamic
// linker binds them is in use. The others do nothing and are not counted.

#define _GNU_SOURCE
#include "CSignalbox/copies.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "CSignalbox/note.h"
#include "CSignalbox/trap.h"

CSB_NOTE(this_copy, CSB_NOTE_ENGINE);

/// What one image of the process contains.
struct image {
  int has_engine, has_dispatch;
  /// Whether the engine is this copy.
  int is_this;
  /// Whether the dynamic linker binds Dispatch's functions to this copy.
  int is_bound;
};

static void read_notes(struct image *image, const char *bytes, size_t left, size_t step) {
  while (left >= sizeof(ElfW(Nhdr))) {
    const struct csb_note *note = (const void *)bytes;
    size_t name = (note->header.n_namesz + step - 1) / step * step;
    size_t description = (note->header.n_descsz + step - 1) / step * step;
    size_t length = sizeof note->header + name + description;
    if (note->header.n_namesz == sizeof CSB_NOTE_NAME && left >= sizeof *note &&
        memcmp(note->name, CSB_NOTE_NAME, sizeof CSB_NOTE_NAME) == 0) {
      image->has_engine |= note->header.n_type == CSB_NOTE_ENGINE;
      image->has_dispatch |= note->header.n_type == CSB_NOTE_DISPATCH;
      image->is_this |= note == &this_copy;
    }
    if (length > left) return;
    bytes += length;
    left -= length;
  }
}

static struct image read_image(struct dl_phdr_info *object, const void *bound) {
  struct image image = {0};
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    uintptr_t start = (uintptr_t)(object->dlpi_addr + part->p_vaddr);
    if (part->p_type == PT_LOAD)
      image.is_bound |= (uintptr_t)bound - start < part->p_memsz;
    if (part->p_type == PT_NOTE)
      read_notes(&image, (const char *)start, part->p_memsz, part->p_align == 8 ? 8 : 4);
  }
  return image;
}

struct search {
  /// The address to which the dynamic linker binds a function of Dispatch; null
  /// if there is none.
  const void *bound;
  int is_served, this_is_idle;
  int copies;
  /// Whether the copy found last is this one.
  int is_this;
  size_t length;
  char names[768];
};

/// Whether one copy serves Dispatch for the others.
static int look_for_server(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  struct image image = read_image(object, search->bound);
  search->is_served |= image.has_dispatch && image.is_bound;
  search->this_is_idle |= image.is_this && image.has_dispatch && !image.is_bound;
  return 0;
}

static int count(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  struct image image = read_image(object, search->bound);
  int is_idle = search->is_served && image.has_dispatch && !image.is_bound;
  if (!image.has_engine || is_idle) return 0;
  search->copies++;
  search->is_this = image.is_this;
  const char *where = object->dlpi_name;
  int added = snprintf(search->names + search->length,
                       sizeof search->names - search->length, "%s%s",
                       search->copies == 1 ? "" : ", ",
                       where && where[0] ? where : "the program");
  // Names that do not fit are truncated; the message gives their number in any
  // case.
  search->length += (size_t)(added > 0 ? added : 0);
  if (search->length >= sizeof search->names)
    search->length = sizeof search->names - 1;
  return 0;
}

static struct search begin_search(void) {
  // The program never takes the address of this function, so `dlsym` finds its
  // code.
  struct search search = {.bound = dlsym(RTLD_DEFAULT, "libdispatch_init")};
  dl_iterate_phdr(look_for_server, &search);
  return search;
}

int csb_copy_is_idle(void) {
  // 0 before the answer is known; then 1 or 2. Two threads that search at once
  // find the same answer.
  static int known;
  // order: relaxed; the number depends on no other data.
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer == 0) {
    struct search search = begin_search();
    answer = 1 + (search.is_served && search.this_is_idle);
    // order: relaxed; the number depends on no other data.
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer == 2;
}

int csb_dispatch_is_replaced(void) { return begin_search().is_served; }

/// Runs at load, for a few microseconds: some tens of ELF objects with two notes each.
__attribute__((constructor)) static void count_copies(void) {
  if (csb_copy_is_idle()) return;
  struct search search = begin_search();
  dl_iterate_phdr(count, &search);
  if (search.copies < 2 || !search.is_this) return;
  char text[1024];
  snprintf(text, sizeof text,
           "SIGNALBOX: this process has loaded %d copies of Signalbox, each with "
           "threads and queues of its own: in %s. Link it once, as a dynamic "
           "library, into all of them.",
           search.copies, search.names);
  csb_warn(text);
}
