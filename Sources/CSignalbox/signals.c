#define _GNU_SOURCE
#include "CSignalbox/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { last_signal = _NSIG - 1, catchers = CSB_SIGNAL_CATCHERS };

/// The eventfd; -1 for none.
static int descriptor = -1;
/// The process that called `csb_signals_begin`.
static pid_t owner;
static uint32_t announced;
static uint64_t counts[last_signal + 1];

/// Which function counts a signal: its index plus one; 0 for none.
static uint32_t counting[last_signal + 1];

/// The handler that each function calls: its address with these bits, which are
/// clear in user addresses on every architecture. 0 for none.
static uint64_t earlier[catchers][last_signal + 1];
static const uint64_t takes_info = 1ull << 63, only_once = 1ull << 62;

/// The action that each function replaced, to be restored. Written before the
/// function is installed.
static struct sigaction found[catchers][last_signal + 1];

/// How many of our handler functions are in use for the signal, counted from
/// the first: one is installed, and the program's handlers may call the others.
static uint8_t in_use[last_signal + 1];

// MARK: The handler

static void announce(void) {
  // order: releasing, SG1
  if (__atomic_exchange_n(&announced, 1, __ATOMIC_RELEASE)) return;
  // order: relaxed; a number that depends on no other data, set before a signal
  // is caught.
  int target = __atomic_load_n(&descriptor, __ATOMIC_RELAXED);
  uint64_t one = 1;
  if (target < 0) return;
  // EAGAIN means that the eventfd is full, so it is readable.
  ssize_t written = write(target, &one, sizeof one);
  (void)written;
}

/// Whether the signal is a fault of this thread. If a handler returns without
/// repairing the cause, a fault repeats without end, so it takes its default
/// action.
static int is_fault(int signal, const siginfo_t *info) {
  if (info->si_code <= 0) return 0;  // sent by a process
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
         signal == SIGTRAP || signal == SIGSYS;
}

static void end_by_fault(int number) {
  signal(number, SIG_DFL);
  // These two signals do not repeat by themselves. The raised signal is blocked
  // until the handler returns.
  if (number == SIGTRAP || number == SIGSYS) raise(number);
}

static void call_earlier(uint32_t index, int signal, siginfo_t *info, void *context) {
  // order: relaxed; one word holds everything, and the kernel orders the
  // installation of the handler.
  uint64_t word = __atomic_load_n(&earlier[index][signal], __ATOMIC_RELAXED);
  // order: relaxed; one word holds everything.
  if (word & only_once && !__atomic_compare_exchange_n(&earlier[index][signal], &word, 0, 0,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  uintptr_t address = (uintptr_t)(word & ~(takes_info | only_once));
  if (address == 0) {
    if (is_fault(signal, info)) end_by_fault(signal);
  } else if (word & takes_info) {
    ((void (*)(int, siginfo_t *, void *))address)(signal, info, context);
  } else {
    ((void (*)(int))address)(signal);
  }
}

static void handle(uint32_t index, int signal, siginfo_t *info, void *context) {
  int error = errno;
  // order: relaxed; a signal may or may not be counted while its last source
  // goes away.
  uint32_t who = __atomic_load_n(&counting[signal], __ATOMIC_RELAXED);
  // order: relaxed; set before a signal is caught.
  if (who == index + 1 && getpid() == __atomic_load_n(&owner, __ATOMIC_RELAXED)) {
    // order: releasing, SG2
    __atomic_fetch_add(&counts[signal], 1, __ATOMIC_RELEASE);
    announce();
  }
  errno = error;
  call_earlier(index, signal, info, context);
  errno = error;
}

static void handle_0(int s, siginfo_t *i, void *c) { handle(0, s, i, c); }
static void handle_1(int s, siginfo_t *i, void *c) { handle(1, s, i, c); }
static void handle_2(int s, siginfo_t *i, void *c) { handle(2, s, i, c); }
static void handle_3(int s, siginfo_t *i, void *c) { handle(3, s, i, c); }

static void (*const handlers[catchers])(int, siginfo_t *, void *) = {handle_0, handle_1, handle_2,
                                                                     handle_3};

// MARK: Catching and releasing

static uint64_t word_of(const struct sigaction *action) {
  if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) return 0;
  uint64_t word = (uint64_t)(uintptr_t)action->sa_handler;
  if (action->sa_flags & SA_SIGINFO) word |= takes_info;
  if (action->sa_flags & (int)SA_RESETHAND) word |= only_once;
  return word;
}

/// Our action in place of `old`: it keeps blocking what the earlier handler
/// blocked and keeps interrupting the calls that it interrupted, because the
/// program may rely on that.
static struct sigaction ours_over(const struct sigaction *old, uint32_t index) {
  struct sigaction ours = {.sa_sigaction = handlers[index]};
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (word_of(old)) {
    ours.sa_mask = old->sa_mask;
    ours.sa_flags |= old->sa_flags & (int)(SA_RESTART | SA_NODEFER | SA_NOCLDSTOP |
                                            SA_NOCLDWAIT);
  } else {
    sigemptyset(&ours.sa_mask);
    ours.sa_flags |= SA_RESTART | (old->sa_flags & (SA_NOCLDSTOP | SA_NOCLDWAIT));
    // If the program ignores SIGCHLD, the kernel reaps its children.
    if (old->sa_handler == SIG_IGN) ours.sa_flags |= SA_NOCLDWAIT;
  }
  return ours;
}

static void remember(const struct sigaction *old, uint32_t index, int signal) {
  found[index][signal] = *old;
  // order: relaxed; see `call_earlier`.
  __atomic_store_n(&earlier[index][signal], word_of(old), __ATOMIC_RELAXED);
}

static void set_counting(int signal, uint32_t who) {
  // order: relaxed; a signal that arrives before this store came before the source.
  __atomic_store_n(&counting[signal], who, __ATOMIC_RELAXED);
}

static int install(int signal, const struct sigaction *old, uint32_t index) {
  remember(old, index, signal);
  struct sigaction ours = ours_over(old, index), replaced;
  if (sigaction(signal, &ours, &replaced) != 0) return errno;
  // Another thread of the program changed the action in between.
  if (replaced.sa_handler != old->sa_handler) remember(&replaced, index, signal);
  in_use[signal] = (uint8_t)(index + 1);
  set_counting(signal, index + 1);
  return 0;
}

/// The index of our function that handles the signal, or -1.
static int current(const struct sigaction *action) {
  for (int index = 0; index < catchers; index++)
    if (action->sa_flags & SA_SIGINFO && action->sa_sigaction == handlers[index]) return index;
  return -1;
}

int csb_signal_catch(int signal) {
  struct sigaction old;
  if (sigaction(signal, NULL, &old) != 0) return errno;
  int index = current(&old);
  if (index < 0) {
    index = in_use[signal];
    return index < catchers ? install(signal, &old, (uint32_t)index) : EBUSY;
  }
  // Our handler was in place all along, or the program has removed its own
  // again.
  set_counting(signal, (uint32_t)index + 1);
  return 0;
}

void csb_signal_release(int signal) {
  set_counting(signal, 0);
  struct sigaction now;
  if (sigaction(signal, NULL, &now) != 0) return;
  int index = current(&now);
  if (index < 0) return;
  struct sigaction old = found[index][signal];
  // order: relaxed; see `call_earlier`.
  uint64_t word = __atomic_load_n(&earlier[index][signal], __ATOMIC_RELAXED);
  // The earlier handler was to be called only once, and was called.
  if (word == 0 && old.sa_handler != SIG_IGN) old.sa_handler = SIG_DFL;
  if (sigaction(signal, &old, NULL) == 0) in_use[signal] = (uint8_t)index;
}

// MARK: Names and counts

int csb_signal_last(void) { return last_signal; }

static const char *const names[] = {
    [SIGHUP] = "SIGHUP",       [SIGINT] = "SIGINT",   [SIGQUIT] = "SIGQUIT",
    [SIGILL] = "SIGILL",       [SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT",
    [SIGBUS] = "SIGBUS",       [SIGFPE] = "SIGFPE",   [SIGKILL] = "SIGKILL",
    [SIGUSR1] = "SIGUSR1",     [SIGSEGV] = "SIGSEGV", [SIGUSR2] = "SIGUSR2",
    [SIGPIPE] = "SIGPIPE",     [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",
    [SIGSTKFLT] = "SIGSTKFLT", [SIGCHLD] = "SIGCHLD", [SIGCONT] = "SIGCONT",
    [SIGSTOP] = "SIGSTOP",     [SIGTSTP] = "SIGTSTP", [SIGTTIN] = "SIGTTIN",
    [SIGTTOU] = "SIGTTOU",     [SIGURG] = "SIGURG",   [SIGXCPU] = "SIGXCPU",
    [SIGXFSZ] = "SIGXFSZ",     [SIGVTALRM] = "SIGVTALRM", [SIGPROF] = "SIGPROF",
    [SIGWINCH] = "SIGWINCH",   [SIGIO] = "SIGIO",     [SIGPWR] = "SIGPWR",
    [SIGSYS] = "SIGSYS",
};

const char *csb_signal_name(int signal) {
  int known = signal > 0 && (size_t)signal < sizeof names / sizeof names[0];
  return known ? names[signal] : NULL;
}

int csb_signal_first_real_time(void) { return SIGRTMIN; }

void csb_signals_begin(int target) {
  // order: relaxed; the kernel orders it with the handlers that are installed
  // later.
  __atomic_store_n(&owner, getpid(), __ATOMIC_RELAXED);
  // The last announcement may have gone to a descriptor that the program closed.
  // order: relaxed; the handlers that follow write to this descriptor.
  __atomic_store_n(&announced, 0, __ATOMIC_RELAXED);
  // order: relaxed; the kernel orders it with the handlers that are installed
  // later.
  __atomic_store_n(&descriptor, target, __ATOMIC_RELAXED);
}

void csb_signals_end(void) {
  // order: relaxed; a signal in progress may still write to it.
  __atomic_store_n(&descriptor, -1, __ATOMIC_RELAXED);
}

void csb_signals_acknowledge(void) {
  // order: acquiring, SG1
  __atomic_exchange_n(&announced, 0, __ATOMIC_ACQUIRE);
}

uint64_t csb_signal_count(int signal) {
  // order: acquiring, SG2
  return __atomic_load_n(&counts[signal], __ATOMIC_ACQUIRE);
}

void csb_signals_after_fork(void) {
  csb_signals_end();
  // order: relaxed; this is the process's only thread.
  __atomic_store_n(&announced, 0, __ATOMIC_RELAXED);
  for (int signal = 1; signal <= last_signal; signal++)
    if (in_use[signal]) csb_signal_release(signal);
}
