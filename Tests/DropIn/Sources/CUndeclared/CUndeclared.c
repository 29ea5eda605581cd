#include "CUndeclared.h"

#include <Block.h>
#include <dispatch/dispatch.h>
#include <malloc.h>

void *undeclared_global_queue(void) { return dispatch_get_global_queue(0, 0); }

void *undeclared_main_queue(void) { return dispatch_get_main_queue(); }

unsigned long bytes_of_small_block(void) {
  void *capture = &capture;
  void (^copy)(void) = Block_copy(^{
    (void)capture;
  });
  unsigned long bytes = malloc_usable_size((void *)copy);
  Block_release(copy);
  return bytes;
}

void *block_with_captures(int count, long sum) {
  long a = sum, b = sum, c = sum, d = sum, e = sum, f = sum;
  switch (count) {
    case 1: return Block_copy(^{ return a; });
    case 2: return Block_copy(^{ return a + b; });
    case 3: return Block_copy(^{ return a + b + c; });
    case 4: return Block_copy(^{ return a + b + c + d; });
    default: return Block_copy(^{ return a + b + c + d + e + f; });
  }
}

long call_and_free_block(void *block) {
  long sum = ((long (^)(void))block)();
  Block_release(block);
  return sum;
}
