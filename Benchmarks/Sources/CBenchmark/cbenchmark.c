#define _GNU_SOURCE
#include "cbenchmark.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

uint64_t cbench_context_switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

uint64_t cbench_bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

uint64_t cbench_private_bytes(void) {
  // The counters of /proc/self/status are too coarse: each processor holds back some pages of them.
  // Private dirty pages would include a program file's that has just been linked.
  int file = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[4096];
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  static const char key[] = "Anonymous:";
  const char *line = strstr(text, key);
  return line ? strtoull(line + sizeof key - 1, NULL, 10) * 1024 : 0;
}

void cbench_keep_heap(void) {
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 26);
}

uint64_t cbench_sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_nvcsw;
}

uint64_t cbench_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return (uint64_t)limit.rlim_cur;
}

void cbench_sleep_microseconds(uint64_t microseconds) {
  struct timespec left = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

/// The first processor from `processor` on that is in the set; -1 if there is none.
static int next_processor(const cpu_set_t *set, int processor) {
  for (; processor < CPU_SETSIZE; processor++) {
    if (CPU_ISSET(processor, set)) return processor;
  }
  return -1;
}

int cbench_processors(void) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

int cbench_processor_limit(void) { return CPU_SETSIZE; }

int cbench_may_run_on(int processor) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_ISSET(processor, &allowed);
}

int cbench_keep_to(const int *processors, int count) {
  cpu_set_t some;
  CPU_ZERO(&some);
  for (int i = 0; i < count; i++) CPU_SET(processors[i], &some);
  return sched_setaffinity(0, sizeof some, &some) == 0 ? 0 : errno;
}

int cbench_pin_to_one_processor(void) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno;
  int processor = next_processor(&allowed, 0);
  return processor < 0 ? ESRCH : cbench_keep_to(&processor, 1);
}

/// Messages, and how many are timed together.
enum { messages = 20000, batch = 500 };

struct partner {
  int processor;
  /// Odd: a message. Even: its answer.
  _Alignas(128) atomic_uint word;
};

static void *answer(void *argument) {
  struct partner *partner = argument;
  cbench_keep_to(&partner->processor, 1);
  for (unsigned number = 1; number < 2 * messages; number += 2) {
    while (atomic_load_explicit(&partner->word, memory_order_acquire) != number) {
    }
    atomic_store_explicit(&partner->word, number + 1, memory_order_release);
  }
  return NULL;
}

double cbench_line_transfer(void) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
  int first = next_processor(&allowed, 0);
  struct partner partner = {.processor = next_processor(&allowed, first + 1)};
  pthread_t thread;
  if (partner.processor < 0 || pthread_create(&thread, NULL, answer, &partner) != 0) return 0;
  cbench_keep_to(&first, 1);
  // The fastest batch: a thread that loses its processor for a moment is not far away.
  uint64_t least = UINT64_MAX;
  for (unsigned number = 1; number < 2 * messages;) {
    uint64_t start = cbench_now();
    for (unsigned end = number + 2 * batch; number < end; number += 2) {
      atomic_store_explicit(&partner.word, number, memory_order_release);
      while (atomic_load_explicit(&partner.word, memory_order_acquire) != number + 1) {
      }
    }
    uint64_t taken = cbench_now() - start;
    if (taken < least) least = taken;
  }
  pthread_join(thread, NULL);
  sched_setaffinity(0, sizeof allowed, &allowed);
  return (double)least / (2 * batch);
}

void cbench_die_after(unsigned seconds) { alarm(seconds); }

void cbench_exit(int status, const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(status);
}
