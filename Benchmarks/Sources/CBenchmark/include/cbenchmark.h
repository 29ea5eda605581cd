// What a benchmark needs from below: an opaque end for results, clocks that
// cost no call into Dispatch, resource counters and a pinned processor.

#ifndef CBENCHMARK_H
#define CBENCHMARK_H

#include <stdint.h>
#include <time.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// Makes the compiler believe that `value` is used, at the cost of a register.
static inline void cbench_consume(uint64_t value) {
  __asm__ volatile("" : : "r"(value) : "memory");
}

/// Makes the compiler believe that what `pointer` points to is used.
static inline void cbench_consume_pointer(const void *pointer) {
  __asm__ volatile("" : : "r"(pointer) : "memory");
}

/// Burns `steps` steps that depend on one another, four or five cycles each,
/// which no compiler can fold or vectorise.
static inline void cbench_compute(uint64_t steps) {
  uint64_t value = steps;
  for (; steps != 0; steps--) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(value));
  }
}

static inline uint64_t cbench_clock_nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Nanoseconds on CLOCK_MONOTONIC.
static inline uint64_t cbench_now(void) { return cbench_clock_nanoseconds(CLOCK_MONOTONIC); }

/// Nanoseconds of processor time that all threads of the process have used.
static inline uint64_t cbench_processor_time(void) {
  return cbench_clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

/// Context switches of the process so far, voluntary and involuntary.
uint64_t cbench_context_switches(void);

/// How often a thread of the process went to sleep so far, and so had to be woken.
uint64_t cbench_sleeps(void);

/// Bytes that the program holds of the allocator's, in all its arenas.
uint64_t cbench_bytes_in_use(void);

/// Bytes of the pages that are the process's own and that it has written, stacks and all. 0 if the
/// kernel does not say. Allocates nothing.
uint64_t cbench_private_bytes(void);

/// Has the allocator keep what is freed. Otherwise a subject that frees megabytes at a time
/// measures how fast the kernel takes pages back and gives them out again.
void cbench_keep_heap(void);

/// Raises the limit on open descriptors as far as the process may. Returns it.
uint64_t cbench_raise_descriptor_limit(void);

/// Sleeps without a timer of Dispatch's.
void cbench_sleep_microseconds(uint64_t microseconds);

/// Confines the calling thread, and every thread it starts from now on, to the
/// first processor it may run on. Returns 0 or an errno.
int cbench_pin_to_one_processor(void);

/// The number of processors that the calling thread may run on.
int cbench_processors(void);

/// Above the number of each processor that there can be.
int cbench_processor_limit(void);

/// Whether the calling thread may run on the processor of that number.
int cbench_may_run_on(int processor);

/// Confines the calling thread, and every thread and process it starts from now on, to these
/// processors. Returns 0 or an errno.
int cbench_keep_to(const int *processors, int count);

/// How many nanoseconds it takes until a processor sees what another one has written: the least mean
/// of 500 messages to and fro between the first two processors that the calling thread may run on.
/// 0 if there is only one. Takes a few milliseconds.
double cbench_line_transfer(void);

/// Starts a thread that frees what `cbench_hand_over` passes to it. It never ends. Returns 0 or an
/// errno.
int cbench_hand_over_begin(void);

/// Allocates pieces of memory of these sizes, passes them to that thread through a ring with one
/// writer and one reader, and does so again as often as `operations` says. Returns when the last one
/// is free.
void cbench_hand_over(const uint64_t *sizes, uint64_t count, uint64_t operations);

/// Ends the process by SIGALRM unless it is done in `seconds`.
void cbench_die_after(unsigned seconds);

/// Prints a line on standard error and exits. (Swift 6 refuses C's `stderr`.)
_Noreturn void cbench_exit(int status, const char *message);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
