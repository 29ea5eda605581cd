#define _GNU_SOURCE
#include "CSignalbox/backtrace.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

size_t csb_backtrace(uintptr_t *addresses, size_t capacity) {
  int count = backtrace((void **)addresses, (int)capacity);
  // How many functions lie between the unwinder and the caller is not known: a
  // sanitizer puts some of its own there.
  uintptr_t own = (uintptr_t)__builtin_return_address(0);
  for (int i = 0; i < count; i++) {
    if (addresses[i] != own) continue;
    count -= i + 1;
    memmove(addresses, addresses + i + 1, (size_t)count * sizeof *addresses);
    break;
  }
  return count > 0 ? (size_t)count : 0;
}

// MARK: Which image

struct image_search {
  uintptr_t address;
  uintptr_t base;
  char *path;
  size_t capacity;
  int found;
};

static int look_at_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct image_search *search = context;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    uintptr_t begin = info->dlpi_addr + part->p_vaddr;
    if (search->address < begin || search->address >= begin + part->p_memsz) continue;
    search->base = info->dlpi_addr;
    search->found = 1;
    if (info->dlpi_name && info->dlpi_name[0]) {
      strncpy(search->path, info->dlpi_name, search->capacity - 1);
    } else {
      // The program itself has no name in the linker's list.
      ssize_t length = readlink("/proc/self/exe", search->path, search->capacity - 1);
      if (length < 0) search->path[0] = 0;
    }
    return 1;
  }
  return 0;
}

// MARK: Which symbol

/// Whether `count` entries of `size` bytes from `offset` on lie within the file.
static int lies_within(uint64_t offset, uint64_t count, uint64_t size, uint64_t all) {
  return offset <= all && count <= (all - offset) / (size ? size : 1);
}

/// The function of a mapped file that holds the file's address `target`.
static void find_symbol(const char *file, uint64_t length, uint64_t target,
                        struct csb_code_place *place) {
  const ElfW(Ehdr) *head = (const void *)file;
  if (length < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return;
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(ElfW(Shdr))) return;
  if (!lies_within(head->e_shoff, head->e_shnum, sizeof(ElfW(Shdr)), length)) return;
  const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
  uint64_t best = 0;
  for (int i = 0; i < head->e_shnum; i++) {
    const ElfW(Shdr) *table = &sections[i];
    if (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM) continue;
    if (table->sh_link >= head->e_shnum) continue;
    const ElfW(Shdr) *names = &sections[table->sh_link];
    uint64_t count = table->sh_size / sizeof(ElfW(Sym));
    if (!lies_within(table->sh_offset, count, sizeof(ElfW(Sym)), length)) continue;
    if (!lies_within(names->sh_offset, names->sh_size, 1, length)) continue;
    const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
    for (uint64_t k = 0; k < count; k++) {
      const ElfW(Sym) *symbol = &symbols[k];
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
      if (symbol->st_value > target || symbol->st_value < best) continue;
      if (symbol->st_size && target >= symbol->st_value + symbol->st_size) continue;
      if (symbol->st_name >= names->sh_size) continue;
      const char *name = file + names->sh_offset + symbol->st_name;
      size_t room = names->sh_size - symbol->st_name;
      if (room > sizeof place->symbol - 1) room = sizeof place->symbol - 1;
      size_t used = strnlen(name, room);
      memcpy(place->symbol, name, used);
      place->symbol[used] = 0;
      best = symbol->st_value;
      place->offset = target - best;
    }
  }
}

int csb_code_find_image(uintptr_t address, struct csb_code_place *place) {
  memset(place, 0, sizeof *place);
  struct image_search search = {
      .address = address, .path = place->image, .capacity = sizeof place->image};
  dl_iterate_phdr(look_at_image, &search);
  if (search.found) place->offset = address - search.base;
  return search.found;
}

void csb_code_find(uintptr_t address, struct csb_code_place *place) {
  if (!csb_code_find_image(address, place)) return;
  uint64_t target = place->offset;
  int file = open(place->image, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    size_t length = (size_t)status.st_size;
    void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
      find_symbol(bytes, length, target, place);
      munmap(bytes, length);
    }
  }
  close(file);
}

// MARK: Words

int csb_demangle(const char *symbol, char *words, size_t capacity) {
  char *(*demangle)(const char *, size_t, char *, size_t *, uint32_t) =
      (char *(*)(const char *, size_t, char *, size_t *, uint32_t))dlsym(RTLD_DEFAULT,
                                                                         "swift_demangle");
  char *made = demangle ? demangle(symbol, strlen(symbol), NULL, NULL, 0) : NULL;
  if (!made) return 0;
  strncpy(words, made, capacity - 1);
  words[capacity - 1] = 0;
  free(made);
  return 1;
}
