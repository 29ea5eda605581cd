// blockmemory.c — gives the Blocks runtime the memory of item nodes for its blocks.
//
// A program allocates a block on the thread that submits it, and frees it on the
// thread that has run it. The C library's allocator is slow at this: the cache lines
// of the free memory belong to the other processor. The stock of nodes (NodeCache) is
// designed for this, and a node has room for the block's item: see BlockNode.
//
// libBlocksRuntime.so calls `malloc` and `free` through two words of its own, which
// the dynamic linker fills. This file stores the addresses of our functions there.
// Only the Blocks runtime uses these words.
//
// Each node is a separate allocation of `malloc`. So a block may be allocated by one
// allocator and freed by the other, as happens to the blocks that exist before the
// words are written.
#define _GNU_SOURCE
#include "CSignalboxDropIn/blockmemory.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "CSignalboxDropIn/block.h"
#include "CSignalboxDropIn/image.h"
#include "blockedge.h"

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#endif

/// The words through which the Blocks runtime calls the allocator.
struct words {
  uintptr_t runtime;
  void **malloc, **free;
};

/// What the dynamic section says about the calls to other libraries.
struct calls {
  const ElfW(Rela) *first;
  size_t size;
  const ElfW(Sym) *symbols;
  const char *names;
};

static int is_in(const struct dl_phdr_info *object, uintptr_t address) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    if (address - (uintptr_t)(object->dlpi_addr + part->p_vaddr) < part->p_memsz) return 1;
  }
  return 0;
}

/// Whether the object is libBlocksRuntime.so. If the Blocks runtime is linked into the
/// program, the whole program calls the allocator through the words.
static int is_library(const struct dl_phdr_info *object) {
  static const char name[] = "libBlocksRuntime.so";
  size_t length = strlen(object->dlpi_name);
  return length >= sizeof name - 1 &&
         strcmp(object->dlpi_name + length - (sizeof name - 1), name) == 0;
}

static int is_complete(const struct dl_phdr_info *object, const struct calls *calls) {
  return is_in(object, (uintptr_t)calls->first) && is_in(object, (uintptr_t)calls->symbols) &&
         is_in(object, (uintptr_t)calls->names);
}

static struct calls calls_of(const struct dl_phdr_info *object) {
  struct calls calls = {0};
  const ElfW(Dyn) *entry = NULL;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type == PT_DYNAMIC) entry = (const void *)(object->dlpi_addr + part->p_vaddr);
  }
  for (; entry && entry->d_tag != DT_NULL; entry++) {
    // The C library has replaced offsets by addresses; `is_complete` checks that.
    const void *address = (const void *)entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_JMPREL: calls.first = address; break;
      case DT_PLTRELSZ: calls.size = entry->d_un.d_val; break;
      case DT_SYMTAB: calls.symbols = address; break;
      case DT_STRTAB: calls.names = address; break;
    }
  }
  return calls;
}

static int find_words(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct words *words = context;
  if (!is_in(object, words->runtime)) return 0;
  if (!is_library(object)) return 1;
  struct calls calls = calls_of(object);
  if (!is_complete(object, &calls)) return 1;
  for (size_t i = 0; i < calls.size / sizeof *calls.first; i++) {
    const ElfW(Rela) *call = &calls.first[i];
    if (ELF64_R_TYPE(call->r_info) != JUMP_SLOT) continue;
    const char *name = calls.names + calls.symbols[ELF64_R_SYM(call->r_info)].st_name;
    void **word = (void **)(object->dlpi_addr + call->r_offset);
    if (strcmp(name, "malloc") == 0) words->malloc = word;
    if (strcmp(name, "free") == 0) words->free = word;
  }
  return 1;
}

/// Whether the allocator checks that freed memory is not used, which it could not do
/// with memory that the stock keeps.
static int allocator_checks(void) { return dlsym(RTLD_DEFAULT, "__asan_init") != NULL; }

/// Whether one library defines all functions that nodes need. A program may replace
/// `malloc` and `free`, but not `malloc_usable_size`.
static int allocator_is_one(void) {
  static const char *const names[] = {"malloc", "free", "malloc_usable_size"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    Dl_info image;
    void *function = dlsym(RTLD_DEFAULT, names[i]);
    if (!function || !dladdr(function, &image)) return 0;
    if (library && image.dli_fbase != library) return 0;
    library = image.dli_fbase;
  }
  return 1;
}

static void free_block(void *memory) {
  csd_edge_ends(memory);
  csd_block_free(memory);
}

static void nothing(void *block) { (void)block; }

/// Whether the runtime counts the references of a block as `csd_block_retain` and
/// `csd_block_end` do.
static int counts_are_known(void) {
  static const struct csd_block_descriptor descriptor = {.size = sizeof(struct csd_block)};
  struct csd_block on_stack = {_NSConcreteStackBlock, 0, 0, nothing, &descriptor};
  struct csd_block *block = _Block_copy(&on_stack);
  int made = block->flags;
  (void)_Block_copy(block);
  int retained = block->flags;
  csd_block_release(block);
  int released = block->flags;
  csd_block_release(block);
  return made == (CSD_BLOCK_ON_HEAP | CSD_BLOCK_ONE_REFERENCE) &&
         retained == made + CSD_BLOCK_ONE_REFERENCE && released == made;
}

void csd_block_memory_begin(void) {
  struct words words = {.runtime = (uintptr_t)dlsym(RTLD_DEFAULT, "_Block_copy")};
  if (!words.runtime || allocator_checks() || !allocator_is_one() || !counts_are_known()) return;
  dl_iterate_phdr(find_words, &words);
  if (!words.malloc || !words.free) return;
  if (!csd_is_writable(words.malloc) || !csd_is_writable(words.free)) return;
  // order: relaxed; the functions are constants, and both they and the old ones are right.
  __atomic_store_n(words.malloc, (void *)csd_block_allocate, __ATOMIC_RELAXED);
  // order: relaxed; as above.
  __atomic_store_n(words.free, (void *)free_block, __ATOMIC_RELAXED);
}

void *csd_allocate(size_t size) { return malloc(size); }
size_t csd_allocated_size(void *memory) { return malloc_usable_size(memory); }
void csd_free(void *memory) { free(memory); }
