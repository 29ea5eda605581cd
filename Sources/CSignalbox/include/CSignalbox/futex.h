// futex.h — puts threads to sleep on a word in memory, and wakes them.
//
// Sources     futex(2); U. Drepper, "Futexes Are Tricky" (2011).
#pragma once

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// A deadline that is never reached.
#define CSB_NEVER UINT64_MAX

/// Sleeps while `*word == expected`, at most until `deadline` (nanoseconds on
/// CLOCK_REALTIME if `wall` is nonzero, else on CLOCK_MONOTONIC).
///
/// Returns 0 after a wake, EAGAIN if the word had another value, ETIMEDOUT,
/// EINTR, or the errno with which the kernel refused the call.
static inline int csb_futex_wait(const void *_Nonnull word, uint32_t expected,
                                 uint64_t deadline, int wall) {
  struct timespec until = {
      .tv_sec = (time_t)(deadline / 1000000000u),
      .tv_nsec = (long)(deadline % 1000000000u),
  };
  int operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG;
  if (wall) operation |= FUTEX_CLOCK_REALTIME;
  long result = syscall(SYS_futex, word, operation, expected,
                        deadline == CSB_NEVER ? NULL : &until, NULL,
                        FUTEX_BITSET_MATCH_ANY);
  return result == 0 ? 0 : errno;
}

/// Wakes at most `count` threads that sleep on `word`. The address may already
/// be unmapped: for the kernel, a private futex is only a key.
static inline void csb_futex_wake(const void *_Nonnull word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL,
          0);
}
