#define _GNU_SOURCE
#include "CSignalbox/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CSignalbox/fork.h"
#include "CSignalbox/overflow.h"
#include "CSignalbox/trap.h"

_Thread_local struct csb_thread csb_thread_storage
    __attribute__((tls_model("initial-exec")));

static uint32_t last_number;

uint32_t csb_thread_assign_number(void) {
  // order: relaxed; only the uniqueness of the result matters.
  uint32_t number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
  if (number > CSB_LAST_THREAD_NUMBER)
    csb_trap("BUG IN SIGNALBOX: thread numbers are used up.");
  csb_thread_storage.number = number;
  csb_thread_note_kernel_id();
  return number;
}

// The threads that were numbered last, each at the index of its number: the
// number in the upper half, the kernel id in the lower half. Used for names in
// messages.
enum { csb_known_threads = 4096 };
static uint64_t known_threads[csb_known_threads];

void csb_thread_note_kernel_id(void) {
  uint32_t number = csb_thread_storage.number;
  if (number == 0) return;
  uint64_t entry = (uint64_t)number << 32 | (uint32_t)csb_thread_kernel_id();
  // order: relaxed; one word holds the whole entry.
  __atomic_store_n(&known_threads[number % csb_known_threads], entry, __ATOMIC_RELAXED);
}

int32_t csb_thread_find_kernel_id(uint32_t number) {
  // A thread of the parent may have had the id that a thread has here.
  if (csb_fork_lost_thread(number)) return 0;
  // order: relaxed; one word holds the whole entry.
  uint64_t entry =
      __atomic_load_n(&known_threads[number % csb_known_threads], __ATOMIC_RELAXED);
  return entry >> 32 == number ? (int32_t)(uint32_t)entry : 0;
}

uint32_t csb_thread_find_number(int32_t kernel_id) {
  uint32_t found = 0;
  for (int index = 0; index < csb_known_threads; index++) {
    // order: relaxed; one word holds the whole entry.
    uint64_t entry = __atomic_load_n(&known_threads[index], __ATOMIC_RELAXED);
    uint32_t number = (uint32_t)(entry >> 32);
    // A thread of the parent may have had the id that a thread has here.
    if ((int32_t)(uint32_t)entry == kernel_id && number > found && !csb_fork_lost_thread(number))
      found = number;
  }
  return found;
}

uint32_t csb_thread_last_number(void) {
  // order: relaxed; meaningful only while no other thread runs.
  return __atomic_load_n(&last_number, __ATOMIC_RELAXED);
}

// The C library keeps thread data on the thread's stack, and Swift's runtime
// needs 12 KiB of it when a thread first uses a generic type: on a stack of 16
// KiB, no code of the program could run. And the C library starts no thread with
// a stack below its own minimum, which is 128 KiB on arm64.
enum { STACK_MARGIN = 64 << 10 };

size_t csb_thread_stack_margin(void) {
  size_t minimum = (size_t)PTHREAD_STACK_MIN;
  return minimum > STACK_MARGIN ? minimum : STACK_MARGIN;
}

int csb_thread_start(void *(*body)(void *), void *context, size_t stack_size) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error) return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack_size)
    error = pthread_attr_setstacksize(&attributes, stack_size + csb_thread_stack_margin());
  if (!error) error = pthread_attr_setguardsize(&attributes, CSB_STACK_GUARD);
  pthread_t thread;
  // The new thread inherits the timer slack of this one.
  csb_thread_loosen_timers();
  if (!error) error = pthread_create(&thread, &attributes, body, context);
  pthread_attr_destroy(&attributes);
  return error;
}

void csb_thread_exit(void) { pthread_exit(NULL); }

size_t csb_thread_stack_size(void) {
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes)) return 0;
  void *lowest;
  if (pthread_attr_getstack(&attributes, &lowest, &size)) size = 0;
  pthread_attr_destroy(&attributes);
  return size;
}

size_t csb_thread_usual_stack_size(void) {
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_attr_init(&attributes)) return 0;
  pthread_attr_getstacksize(&attributes, &size);
  pthread_attr_destroy(&attributes);
  return size;
}

static pthread_key_t exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;
static int exit_key_error;
static void (*exit_leave)(void);

static void run_leave(void *unused) {
  (void)unused;
  // order: relaxed; see `csb_thread_at_exit`.
  __atomic_load_n(&exit_leave, __ATOMIC_RELAXED)();
}

static void make_exit_key(void) {
  exit_key_error = pthread_key_create(&exit_key, run_leave);
}

int csb_thread_at_exit(void (*leave)(void)) {
  // order: relaxed; every thread stores the same function before it ends.
  __atomic_store_n(&exit_leave, leave, __ATOMIC_RELAXED);
  pthread_once(&exit_once, make_exit_key);
  if (exit_key_error) return exit_key_error;
  return pthread_setspecific(exit_key, &csb_thread_storage);
}

void csb_thread_set_name(const char *name) {
  char cut[16];
  strncpy(cut, name, sizeof cut - 1);
  cut[sizeof cut - 1] = 0;
  pthread_setname_np(pthread_self(), cut);
  csb_thread_storage.is_named = 1;
}

void csb_thread_set_name_of(int32_t kernel_id, const char *name) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)kernel_id);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // If the write is refused, the thread keeps its old name, which only affects
  // tools.
  ssize_t written = write(file, name, strlen(name));
  (void)written;
  close(file);
}

void csb_thread_keep_name(struct csb_thread *thread, const char *name) {
  size_t size = name ? strlen(name) : 0;
  if (size >= CSB_THREAD_NAME) {
    size = CSB_THREAD_NAME - 1;
    // Don't truncate within a character.
    while (size > 0 && ((unsigned char)name[size] & 0xC0) == 0x80) size--;
  }
  for (size_t index = 0; index < CSB_THREAD_NAME; index++) {
    char byte = index < size ? name[index] : 0;
    // order: relaxed; a handler may find the old name, the new one, or parts of both.
    __atomic_store_n(&thread->name[index], byte, __ATOMIC_RELAXED);
  }
}

void csb_thread_kept_name(char *name) {
  for (size_t index = 0; index < CSB_THREAD_NAME; index++) {
    // order: relaxed; the name may be the old one, the new one, or parts of
    // both.
    name[index] = __atomic_load_n(&csb_thread_storage.name[index], __ATOMIC_RELAXED);
  }
  name[CSB_THREAD_NAME - 1] = 0;
}

const char *csb_program_name(void) { return program_invocation_short_name; }

void csb_thread_get_name(char *name) {
  memset(name, 0, 16);
  prctl(PR_GET_NAME, name, 0, 0, 0);
}

int32_t csb_thread_kernel_id(void) { return (int32_t)syscall(SYS_gettid); }

int32_t csb_process_id(void) { return (int32_t)getpid(); }

int csb_thread_ask_is_main(void) {
  int is_main = getpid() == csb_thread_kernel_id();
  csb_thread_storage.is_main = is_main ? 2 : 1;
  return is_main;
}

void csb_thread_became_first(void) {
  csb_thread_storage.is_main = 0;
  csb_thread_storage.worker = NULL;
  csb_thread_storage.wait_record = NULL;
  csb_thread_note_kernel_id();
}

void csb_thread_tighten_timers(void) {
  if (csb_thread_storage.has_tight_timers) return;
  csb_thread_storage.has_tight_timers = 1;
  // In a sandbox that refuses this, timers stay up to fifty microseconds late.
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
}

void csb_thread_loosen_timers(void) {
  if (!csb_thread_storage.has_tight_timers) return;
  csb_thread_storage.has_tight_timers = 0;
  // 0 restores the slack with which the thread was started.
  prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0);
}

void csb_thread_yield(void) { sched_yield(); }

int csb_thread_nice(int32_t kernel_id) {
  return getpriority(PRIO_PROCESS, (id_t)kernel_id);
}

int csb_thread_set_nice(int32_t kernel_id, int nice) {
  return setpriority(PRIO_PROCESS, (id_t)kernel_id, nice) == 0 ? 0 : errno;
}

uint64_t csb_thread_processor_time(int32_t kernel_id) {
  // The kernel's own encoding of a thread's clock. `pthread_getcpuclockid`
  // returns the same, but needs a handle that may be stale.
  clockid_t clock = (clockid_t)((~(uint32_t)kernel_id << 3) | 6u);
  struct timespec used;
  if (clock_gettime(clock, &used) != 0) return 0;
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/// Reads the kernel's status line of a thread into `text`, of `size` bytes.
///
/// Returns the text after the name, which is in parentheses and may itself
/// contain parentheses; or null.
static const char *read_status(int32_t kernel_id, char *text, size_t size) {
  snprintf(text, size, "/proc/self/task/%d/stat", kernel_id);
  int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  ssize_t length = read(file, text, size - 1);
  close(file);
  if (length <= 0) return NULL;
  text[length] = 0;
  const char *end = strrchr(text, ')');
  return end && end[1] == ' ' ? end + 2 : NULL;
}

char csb_thread_state(int32_t kernel_id) {
  char text[256];
  const char *status = read_status(kernel_id, text, sizeof text);
  return status ? *status : 0;
}

int csb_thread_ticks(int32_t kernel_id, uint64_t *user, uint64_t *system) {
  char text[512];
  const char *status = read_status(kernel_id, text, sizeof text);
  if (!status) return ESRCH;
  // Fields 3 to 15 of proc(5): the state, ten numbers, then the two times.
  return sscanf(
             status, "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64, user,
             system) == 2
           ? 0
           : EINVAL;
}

int csb_processor_count(void) {
  // Ask for the first thread, because a worker's or client's own mask is not
  // the process's. The kernel refuses a set smaller than its own; the raw call
  // returns the number of bytes that it filled. No kernel supports more than
  // 65536 processors.
  unsigned long set[1024];
  long size = syscall(SYS_sched_getaffinity, getpid(), sizeof set, set);
  int found = 0;
  for (long word = 0; word < size / (long)sizeof set[0]; word++)
    found += __builtin_popcountl(set[word]);
  if (found > 0) return found;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

int csb_processors_are_many(void) {
  static int known;
  // order: relaxed; a number that depends on no other data, and every thread
  // finds the same.
  int count = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (count == 0) {
    count = csb_processor_count();
    __atomic_store_n(&known, count, __ATOMIC_RELAXED);  // order: relaxed; see the load.
  }
  return count > 1;
}
