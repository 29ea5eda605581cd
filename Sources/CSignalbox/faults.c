#define _GNU_SOURCE
#include "CSignalbox/faults.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CSignalbox/overflow.h"
#include "CSignalbox/tracefile.h"

// MARK: The handler

/// What was there before ours, by the number of the signal.
static struct sigaction before[_NSIG];
/// Which signals are handled, by number.
static uint64_t handled;

static void handle_fault(int signal, siginfo_t *info, void *context);

static int is_on_top(int signal) {
  struct sigaction now;
  return sigaction(signal, NULL, &now) == 0 && now.sa_sigaction == handle_fault;
}

static void put_default_back(int signal) {
  struct sigaction none = {.sa_handler = SIG_DFL};
  sigaction(signal, &none, NULL);
}

/// Calls who handled the signal before as the kernel would have. Ours stays in its place: another
/// thread that crashes comes here, and waits.
static void call_former(const struct sigaction *former, int signal, siginfo_t *info,
                        void *context) {
  sigset_t mask, added = former->sa_mask;
  // Unless who was called since has put something else in our place.
  if (former->sa_flags & (int)SA_RESETHAND && is_on_top(signal)) put_default_back(signal);
  pthread_sigmask(SIG_BLOCK, &added, &mask);
  if (former->sa_flags & SA_NODEFER && !sigismember(&added, signal)) {
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, signal);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
  }
  if (former->sa_flags & SA_SIGINFO)
    former->sa_sigaction(signal, info, context);
  else
    former->sa_handler(signal);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/// Nobody handled the signal before.
static void take_default_action(int signal, siginfo_t *info) {
  int is_fault = info->si_code > 0;
  if (!is_fault && !is_on_top(signal)) return;  // I2
  put_default_back(signal);
  // I1. An instruction that faults does so once more. What was sent, and what would not come
  // again, is sent with all that came with it; it is blocked until the handler returns.
  int comes_again = is_fault && signal != SIGTRAP && signal != SIGABRT;
  if (!comes_again) syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info);
}

static void handle_fault(int signal, siginfo_t *info, void *context) {
  int error = errno;
  if (csb_trace_is_writing()) {
    // What somebody sent it, the crash that is told of makes up for.
    if (info->si_code <= 0) return;
    csb_trace_give_up_writing();
  }
  csb_overflow_tell(signal, info->si_code, info->si_addr);
  csb_trace_attend_to_crash();
  const struct sigaction *former = &before[signal];
  if (former->sa_handler != SIG_DFL)
    call_former(former, signal, info, context);
  else
    take_default_action(signal, info);
  errno = error;
}

void csb_faults_handle(int signal) {
  uint64_t bit = 1ull << signal;
  // order: relaxed; a claim. The kernel orders the handler's installing with its calls.
  if (__atomic_load_n(&handled, __ATOMIC_RELAXED) & bit) return;
  // order: relaxed; as above.
  if (__atomic_fetch_or(&handled, bit, __ATOMIC_RELAXED) & bit) return;
  struct sigaction ours = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  sigaction(signal, NULL, &before[signal]);
  // What is ignored is let be.
  if (before[signal].sa_handler != SIG_IGN) sigaction(signal, &ours, NULL);
}

// MARK: Stacks, for where the thread's own has overflowed

/// What the recorder's part takes, four times over. Only addresses, as long as no handler runs.
enum { stack_size = 65536 };

/// Stacks of threads that have ended, for the next ones: as many as threads come and go at once.
enum { kept_stacks = 8 };
static void *kept[kept_stacks];

static void *take_stack(void) {
  for (int place = 0; place < kept_stacks; place++) {
    // order: relaxed; a hint.
    if (!__atomic_load_n(&kept[place], __ATOMIC_RELAXED)) continue;
    // order: acquiring, FS1
    void *stack = __atomic_exchange_n(&kept[place], NULL, __ATOMIC_ACQUIRE);
    if (stack) return stack;
  }
  void *memory = mmap(NULL, stack_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void give_stack(void *stack) {
  for (int place = 0; place < kept_stacks; place++) {
    void *none = NULL;
    // order: releasing, FS1
    if (__atomic_compare_exchange_n(&kept[place], &none, stack, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED))
      return;
  }
  munmap(stack, stack_size);
}

void *csb_handler_stack_begin(void) {
  void *memory = take_stack();
  if (!memory) return NULL;
  stack_t ours = {.ss_sp = memory, .ss_size = stack_size}, found;
  if (sigaltstack(&ours, &found) == 0) {
    if (found.ss_flags & SS_DISABLE) return memory;
    // A sanitizer's, or the program's.
    sigaltstack(&found, NULL);
  }
  give_stack(memory);
  return NULL;
}

void csb_handler_stack_end(void *stack) {
  if (!stack) return;
  stack_t none = {.ss_flags = SS_DISABLE}, found;
  // Refused while a handler runs on it: then it is in use.
  if (sigaltstack(&none, &found) != 0) return;
  if (found.ss_sp != stack && !(found.ss_flags & SS_DISABLE)) sigaltstack(&found, NULL);
  give_stack(stack);
}
