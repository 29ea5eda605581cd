#define _GNU_SOURCE
#include "CSignalboxDropIn/image.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct search {
  uintptr_t address;
  int is_writable;
};

static int look_for_address(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  int is_here = 0, is_writable = 0, is_protected = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (search->address - (uintptr_t)(object->dlpi_addr + part->p_vaddr) >= part->p_memsz) continue;
    is_here |= part->p_type == PT_LOAD;
    is_writable |= part->p_type == PT_LOAD && part->p_flags & PF_W;
    is_protected |= part->p_type == PT_GNU_RELRO;
  }
  search->is_writable = is_writable && !is_protected;
  return is_here;
}

int csd_is_writable(const void *address) {
  struct search search = {.address = (uintptr_t)address};
  return dl_iterate_phdr(look_for_address, &search) && search.is_writable;
}
