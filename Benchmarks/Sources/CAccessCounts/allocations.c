// Calls of the allocator. What it does to memory is not seen.
#include <errno.h>
#include <stddef.h>

#include "access.h"

uninstrumented

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

#define here __builtin_return_address(0)

void *malloc(size_t size) {
  access_count(access_allocate, here);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  access_count(access_allocate, here);
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  if (memory) access_count(access_free, here);
  access_count(access_allocate, here);
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  access_count(access_allocate, here);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  access_count(access_allocate, here);
  void *made = __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void *memory) {
  if (memory) access_count(access_free, here);
  __libc_free(memory);
}

instrumented_again
