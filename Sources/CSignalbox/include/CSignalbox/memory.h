// memory.h — memory that a program hands over, and the matching ways to free
// it.
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

/// Memory from malloc, or null.
static inline void *_Nullable csb_memory_allocate(size_t size) {
  return malloc(size);
}

static inline void csb_memory_free(void *_Nullable memory) { free(memory); }

/// Returns 0 or an errno.
static inline int csb_memory_unmap(void *_Nonnull memory, size_t size) {
  return munmap(memory, size) == 0 ? 0 : errno;
}

/// Maps zeroed memory whose pages cost nothing until they are written. Returns
/// 0 or an errno.
int csb_memory_map(size_t size, void *_Nullable *_Nonnull memory);

/// Frees the pages of mapped memory and keeps its addresses reserved: the
/// memory reads as zero again.
void csb_memory_empty(void *_Nonnull memory, size_t size);
