#define _GNU_SOURCE
#include "CSystemCalls.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t csc_fork(void) { return fork(); }

int csc_overflow_in_large_frames(int depth) {
  volatile char block[32768];
  block[sizeof block - 1] = (char)depth;
  // The stack is exhausted long before this depth.
  if (depth == INT_MAX) return block[sizeof block - 1];
  return csc_overflow_in_large_frames(depth + 1) + block[sizeof block - 1];
}

// The lowest address of this thread's stack. Returns 0, or an errno.
static int own_stack(void **lowest) {
  pthread_attr_t attributes;
  size_t size;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  if (error) return error;
  error = pthread_attr_getstack(&attributes, lowest, &size);
  pthread_attr_destroy(&attributes);
  return error;
}

int csc_guard_own_stack(void) {
  enum { madvise_guard_install = 102 };
  void *lowest;
  int error = own_stack(&lowest);
  if (error) return error;
  return madvise(lowest, (size_t)getpagesize(), madvise_guard_install) == 0 ? 0 : errno;
}

static void *noted_stack;
static size_t noted_size;

int csc_call_on_noted_stack(void (*body)(void)) {
  // Larger than any page, so that the functions that `body` calls use none of this function's callers'
  // pages.
  volatile char gap[1 << 17];
  gap[0] = 0;
  int error = own_stack(&noted_stack);
  if (error) return error;
  uintptr_t page = (uintptr_t)getpagesize();
  uintptr_t end = ((uintptr_t)gap + page - 1) / page * page;
  noted_size = end - (uintptr_t)noted_stack;
  body();
  gap[0] = 1;
  return 0;
}

int csc_forbid_noted_stack(void) {
  return mprotect(noted_stack, noted_size, PROT_NONE) == 0 ? 0 : errno;
}

// Newer than the headers of some systems.
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

struct name {
  const char *name;
  unsigned int number;
};

static const struct name names[] = {
    {"epoll_create1", SYS_epoll_create1},
    {"eventfd2", SYS_eventfd2},
    {"timerfd_create", SYS_timerfd_create},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"prctl", SYS_prctl},
    {"clone", SYS_clone},
    {"clone3", SYS_clone3},
    {"epoll_ctl", SYS_epoll_ctl},
    {"openat", SYS_openat},
    {"pidfd_open", SYS_pidfd_open},
    {"epoll_pwait2", SYS_epoll_pwait2},
    {"preadv2", SYS_preadv2},
    {"pwritev2", SYS_pwritev2},
    {"process_vm_readv", SYS_process_vm_readv},
};

/// Adds a filter of the thread's system calls. Returns 0 or an errno.
static int add_filter(struct sock_filter *steps, size_t count) {
  struct sock_fprog program = {.len = (unsigned short)count, .filter = steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0
                                                                        : errno;
}

int csc_refuse(const char *call, int error) {
  const struct name *found = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i].name, call) == 0) found = &names[i];
  if (!found) return -1;
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, found->number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return add_filter(steps, sizeof steps / sizeof steps[0]);
}

int csc_refuse_newer(int first) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)first, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_preadv2, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwritev2, 2, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
  };
  return add_filter(steps, sizeof steps / sizeof steps[0]);
}

int csc_error_of_call(int number) {
  return syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) < 0 ? errno : 0;
}

long csc_timer_slack(void) { return prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); }

long csc_voluntary_switches(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : -1;
}

int csc_use_one_processor(void) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return errno;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (!CPU_ISSET(i, &all)) continue;
    CPU_SET(i, &one);
    break;
  }
  return sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : errno;
}

uint64_t csc_blocked_signals(void) {
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  uint64_t bits = 0;
  for (int signal = 1; signal <= 64; signal++)
    if (sigismember(&set, signal) == 1) bits |= 1ull << (signal - 1);
  return bits;
}

int csc_limit_threads(unsigned long count) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return errno;
  limit.rlim_cur = count;
  return setrlimit(RLIMIT_NPROC, &limit) == 0 ? 0 : errno;
}

int csc_unlimit_threads(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return errno;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NPROC, &limit) == 0 ? 0 : errno;
}

int csc_at_fork(void (*prepare)(void), void (*parent)(void),
                void (*child)(void)) {
  return pthread_atfork(prepare, parent, child);
}

int csc_wait(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
