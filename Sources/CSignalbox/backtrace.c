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
  // The number of functions between the unwinder and the caller is unknown: a
  // sanitizer adds some of its own.
  uintptr_t own = (uintptr_t)__builtin_return_address(0);
  for (int i = 0; i < count; i++) {
    if (addresses[i] != own) continue;
    count -= i + 1;
    memmove(addresses, addresses + i + 1, (size_t)count * sizeof *addresses);
    break;
  }
  return count > 0 ? (size_t)count : 0;
}

// MARK: Images

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

// MARK: Symbols

/// A search for symbols in one file: the addresses in ascending order, and for
/// each the best symbol found so far.
struct symbol_search {
  const uintptr_t *addresses;
  uintptr_t base;
  size_t count;
  struct found_symbol *found;
};

struct found_symbol {
  /// A pointer into the mapped file; NULL if no symbol was found yet.
  const char *name;
  size_t length;
  uint64_t value;
};

/// Whether `count` entries of `size` bytes, starting at `offset`, lie within
/// the file.
static int lies_within(uint64_t offset, uint64_t count, uint64_t size, uint64_t all) {
  return offset <= all && count <= (all - offset) / (size ? size : 1);
}

/// How many of the addresses come before `value`.
static size_t places_before(const struct symbol_search *search, uint64_t value) {
  size_t low = 0, high = search->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (search->addresses[middle] - search->base < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Assigns a symbol to the addresses that it covers, unless a symbol is known
/// that starts closer to them.
static void offer(struct symbol_search *search, const ElfW(Sym) *symbol, const char *names,
                  uint64_t size_of_names) {
  if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) return;
  if (symbol->st_name >= size_of_names) return;
  for (size_t i = places_before(search, symbol->st_value); i < search->count; i++) {
    // A symbol without a size extends to the beginning of the next one.
    uint64_t distance = search->addresses[i] - search->base - symbol->st_value;
    if (symbol->st_size && distance >= symbol->st_size) return;
    struct found_symbol *found = &search->found[i];
    if (found->name && symbol->st_value < found->value) continue;
    found->name = names + symbol->st_name;
    found->length = strnlen(found->name, size_of_names - symbol->st_name);
    found->value = symbol->st_value;
  }
}

/// Goes through all symbols of a mapped file once.
static void find_symbols(const char *file, uint64_t length, struct symbol_search *search) {
  const ElfW(Ehdr) *head = (const void *)file;
  if (length < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return;
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(ElfW(Shdr))) return;
  if (!lies_within(head->e_shoff, head->e_shnum, sizeof(ElfW(Shdr)), length)) return;
  const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
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
      offer(search, &symbols[k], file + names->sh_offset, names->sh_size);
    }
  }
}

int csb_code_find_image(uintptr_t address, struct csb_code_symbol *resolved) {
  memset(resolved, 0, sizeof *resolved);
  struct image_search search = {
      .address = address, .path = resolved->image, .capacity = sizeof resolved->image};
  dl_iterate_phdr(look_at_image, &search);
  if (search.found) resolved->offset = address - search.base;
  return search.found;
}

/// Calls the visitor for each of the addresses.
static void tell(const struct symbol_search *search, struct csb_code_symbol *resolved,
                 csb_code_visitor *visit, void *context) {
  for (size_t i = 0; i < search->count; i++) {
    const struct found_symbol *found = &search->found[i];
    size_t room = sizeof resolved->symbol - 1;
    size_t used = found->length < room ? found->length : room;
    if (found->name) memcpy(resolved->symbol, found->name, used);
    resolved->symbol[found->name ? used : 0] = 0;
    resolved->offset = search->addresses[i] - search->base - (found->name ? found->value : 0);
    visit(context, search->addresses[i], resolved);
  }
}

/// Finds the symbols of addresses that all lie in one file, whose path is in
/// `resolved`.
static void find_in_image(struct symbol_search *search, struct csb_code_symbol *resolved,
                          csb_code_visitor *visit, void *context) {
  void *bytes = MAP_FAILED;
  size_t length = 0;
  int file = open(resolved->image, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
    length = (size_t)status.st_size;
    bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
  }
  if (file >= 0) close(file);
  if (bytes != MAP_FAILED) find_symbols(bytes, length, search);
  tell(search, resolved, visit, context);
  if (bytes != MAP_FAILED) munmap(bytes, length);
}

void csb_code_find_all(const uintptr_t *addresses, size_t count, csb_code_visitor *visit,
                       void *context) {
  struct csb_code_symbol resolved;
  struct found_symbol *found = calloc(count ? count : 1, sizeof *found);
  if (!found) return;
  for (size_t first = 0, last; first < count; first = last) {
    last = first + 1;
    int is_known = csb_code_find_image(addresses[first], &resolved);
    uintptr_t base = addresses[first] - resolved.offset;
    struct csb_code_symbol other;
    while (is_known && last < count && csb_code_find_image(addresses[last], &other) &&
           addresses[last] - other.offset == base) {
      last++;
    }
    struct symbol_search search = {
        .addresses = addresses + first, .base = base, .count = last - first, .found = found + first};
    if (is_known) {
      find_in_image(&search, &resolved, visit, context);
    } else {
      visit(context, addresses[first], &resolved);
    }
  }
  free(found);
}

// MARK: Demangling

/// A function of Swift's runtime. It is linked weakly, because dlsym would wait for a thread that
/// runs a library's constructor.
extern char *swift_demangle(const char *symbol, size_t length, char *words, size_t *capacity,
                            uint32_t flags) __attribute__((weak));

int csb_demangle(const char *symbol, char *words, size_t capacity) {
  char *made = swift_demangle ? swift_demangle(symbol, strlen(symbol), NULL, NULL, 0) : NULL;
  if (!made) return 0;
  strncpy(words, made, capacity - 1);
  words[capacity - 1] = 0;
  free(made);
  return 1;
}
