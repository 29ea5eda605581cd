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

/// The handlers that ours replaced, by signal number.
static struct sigaction before[_NSIG];
/// The handled signals, one bit for each number.
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

/// Calls the earlier handler as the kernel would have. Ours stays installed:
/// another thread that crashes enters it and waits.
static void call_former(const struct sigaction *former, int signal, siginfo_t *info,
                        void *context) {
  sigset_t mask, added = former->sa_mask;
  // If the earlier handler was to run only once, restore the default, unless
  // that handler has replaced ours.
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

/// Performs the default action of a signal that had no handler.
static void take_default_action(int signal, siginfo_t *info) {
  int is_fault = info->si_code > 0;
  if (!is_fault && !is_on_top(signal)) return;  // I2
  put_default_back(signal);
  // I1. A faulting instruction faults again. Any other signal does not come
  // again: this sends it once more, with all of its information. It is blocked
  // until the handler returns.
  int comes_again = is_fault && signal != SIGTRAP && signal != SIGABRT;
  if (!comes_again) syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info);
}

static void handle_fault(int signal, siginfo_t *info, void *context) {
  int error = errno;
  if (csb_trace_is_writing()) {
    // Ignore a signal that was sent to this thread: the crash being recorded
    // already ends the process.
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
  // order: relaxed; a check that saves work. The kernel orders the installation
  // of the handler before its calls.
  if (__atomic_load_n(&handled, __ATOMIC_RELAXED) & bit) return;
  // order: relaxed; only one thread installs the handler.
  if (__atomic_fetch_or(&handled, bit, __ATOMIC_RELAXED) & bit) return;
  struct sigaction ours = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  sigaction(signal, NULL, &before[signal]);
  // A signal that the program ignores stays ignored.
  if (before[signal].sa_handler != SIG_IGN) sigaction(signal, &ours, NULL);
}

// MARK: Stacks for handlers, for when the thread's own has overflowed

/// Four times the size that the recorder needs. The stack takes up no memory
/// until a handler runs, only addresses.
enum { stack_size = 65536 };

/// Stacks of ended threads, kept for new ones: enough for the threads that come
/// and go at once.
enum { kept_stacks = 8 };
static void *kept[kept_stacks];

static void *take_stack(void) {
  for (int index = 0; index < kept_stacks; index++) {
    // order: relaxed; may be out of date, the exchange below decides.
    if (!__atomic_load_n(&kept[index], __ATOMIC_RELAXED)) continue;
    // order: acquiring, FS1
    void *stack = __atomic_exchange_n(&kept[index], NULL, __ATOMIC_ACQUIRE);
    if (stack) return stack;
  }
  void *memory = mmap(NULL, stack_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void give_stack(void *stack) {
  for (int index = 0; index < kept_stacks; index++) {
    void *none = NULL;
    // order: releasing, FS1
    if (__atomic_compare_exchange_n(&kept[index], &none, stack, 0, __ATOMIC_RELEASE,
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
    // The thread already has a stack from a sanitizer or the program.
    sigaltstack(&found, NULL);
  }
  give_stack(memory);
  return NULL;
}

void csb_handler_stack_end(void *stack) {
  if (!stack) return;
  stack_t none = {.ss_flags = SS_DISABLE}, found;
  // The kernel refuses this while a handler runs on the stack: then it is in
  // use.
  if (sigaltstack(&none, &found) != 0) return;
  if (found.ss_sp != stack && !(found.ss_flags & SS_DISABLE)) sigaltstack(&found, NULL);
  give_stack(stack);
}
