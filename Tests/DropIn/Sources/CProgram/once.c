#include "expect.h"

// The header has inline forms of both; this is about the functions behind them.
#undef dispatch_once
#undef dispatch_once_f

static int is_over(dispatch_once_t predicate) {
#if __has_feature(thread_sanitizer)
  // ThreadSanitizer has functions of its own, in place of a shared library's.
  if (predicate == 2) return 1;
#endif
  return predicate == ~0l;
}

static int ran;

static void add(void *amount) { ran += (int)(intptr_t)amount; }

void use_once(void) {
  for (int round = 0; round < 100; round++) {
    dispatch_once_t *predicate = calloc(1, sizeof *predicate);
    ran = 0;
    dispatch_apply(8, DISPATCH_APPLY_AUTO, ^(size_t index) {
      dispatch_once(predicate, ^{
        // Others come meanwhile.
        dispatch_semaphore_t never = dispatch_semaphore_create(0);
        dispatch_semaphore_wait(never, dispatch_time(DISPATCH_TIME_NOW, 100000));
        dispatch_release(never);
        add((void *)1);
      });
      expect(ran == 1);
    });
    expect(is_over(*predicate));
    dispatch_once_f(predicate, (void *)1, add);
    expect(ran == 1);
    free(predicate);
  }
  dispatch_once_t other = 0;
  dispatch_once_f(&other, (void *)10, add);
  expect(ran == 11 && is_over(other));
}
