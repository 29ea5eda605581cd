#define _GNU_SOURCE
#include "CSlowOnce.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef void (*making)(void *);
typedef void (*once)(intptr_t *, making, void *);

enum { longest_wait_for_a_fork = 20000, longest_fork = 300 };  // milliseconds

static once runtime_once;
static int (*counts_now)(void);
static int wanted, seen, is_forking, has_forked, is_held, was_met;

struct value {
  making make;
  void *context;
};

static int is_first_thread(void) { return syscall(SYS_gettid) == getpid(); }

/// Waits until another thread has set the flag.
static void wait_for(const int *flag, int milliseconds) {
  struct timespec pause = {.tv_nsec = 1000000};
  while (milliseconds-- > 0 && !__atomic_load_n(flag, __ATOMIC_SEQ_CST)) nanosleep(&pause, NULL);
}

static void make_slowly(void *context) {
  struct value *value = context;
  if (!is_first_thread() && counts_now() && __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST) == wanted) {
    __atomic_store_n(&is_held, 1, __ATOMIC_SEQ_CST);
    wait_for(&is_forking, longest_wait_for_a_fork);
    wait_for(&has_forked, longest_fork);
    __atomic_store_n(&is_held, 0, __ATOMIC_SEQ_CST);
  }
  value->make(value->context);
}

/// Replaces the runtime's own function, because the program's functions come first.
void swift_once(intptr_t *predicate, making make, void *context) {
  if (!runtime_once) runtime_once = (once)dlsym(RTLD_NEXT, "swift_once");
  struct value value = {make, context};
  if (wanted) runtime_once(predicate, make_slowly, &value);
  else runtime_once(predicate, make, context);
}

static void fork_begins(void) {
  was_met = __atomic_load_n(&is_held, __ATOMIC_SEQ_CST);
  __atomic_store_n(&is_forking, 1, __ATOMIC_SEQ_CST);
}

static void fork_is_over(void) { __atomic_store_n(&has_forked, 1, __ATOMIC_SEQ_CST); }

static void child_begins(void) { wanted = 0; }

void cso_hold(int number, int (*counts)(void)) {
  counts_now = counts;
  pthread_atfork(fork_begins, fork_is_over, child_begins);
  wanted = number;
}

int cso_was_met(void) { return was_met; }

static intptr_t awaited;
static int is_being_made;

static void make_when_awaited(void *context) {
  (void)context;
  __atomic_store_n(&is_being_made, 1, __ATOMIC_SEQ_CST);
  // The kernel sets this bit in a lock's word when a thread waits for the lock.
  const uint32_t *halves = (const uint32_t *)&awaited;
  while (!((__atomic_load_n(&halves[0], __ATOMIC_SEQ_CST) |
            __atomic_load_n(&halves[1], __ATOMIC_SEQ_CST)) & FUTEX_WAITERS))
    sched_yield();
}

static void *wait_for_it(void *context) {
  while (!__atomic_load_n(&is_being_made, __ATOMIC_SEQ_CST)) sched_yield();
  swift_once(&awaited, make_when_awaited, context);
  return NULL;
}

int cso_make_while_another_waits(void) {
  pthread_t other;
  if (pthread_create(&other, NULL, wait_for_it, NULL)) return 0;
  swift_once(&awaited, make_when_awaited, NULL);
  return !pthread_join(other, NULL);
}
