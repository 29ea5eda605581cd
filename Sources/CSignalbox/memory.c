#define _GNU_SOURCE
#include "CSignalbox/memory.h"

int csb_memory_map(size_t size, void **memory) {
  void *found = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return errno;
  *memory = found;
  return 0;
}

void csb_memory_empty(void *memory, size_t size) { madvise(memory, size, MADV_DONTNEED); }
