#define _GNU_SOURCE
#include "CSignalbox/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { last_signal = _NSIG - 1, catchers = CSB_SIGNAL_CATCHERS };

/// The eventfd; -1: none.
static int descriptor = -1;
/// The process that began.
static pid_t owner;
static uint32_t announced;
static uint64_t counts[last_signal + 1];

/// Which function counts a signal: its index and one; 0: none.
static uint32_t counting[last_signal + 1];

/// Whom each function calls: the address, with these bits. User addresses have them
/// clear on every architecture. 0: nobody.
static uint64_t earlier[catchers][last_signal + 1];
static const uint64_t takes_info = 1ull << 63, only_once = 1ull << 62;

/// What each function found, to be put back. Written before it is installed.
static struct sigaction found[catchers][last_signal + 1];

/// How many of the functions, from the first on, handle the signal or may be called by
/// what does.
static uint8_t in_use[last_signal + 1];

// MARK: The handler

static void announce(void) {
  // order: releasing, SG1
  if (__atomic_exchange_n(&announced, 1, __ATOMIC_RELEASE)) return;
  // order: relaxed; a number that needs nothing but itself, set before a signal is caught.
  int target = __atomic_load_n(&descriptor, __ATOMIC_RELAXED);
  uint64_t one = 1;
  if (target < 0) return;
  // EAGAIN means that it is full, hence readable.
  ssize_t written = write(target, &one, sizeof one);
  (void)written;
}

/// A fault of the thread itself would be met again for ever once a handler returns that
/// has mended nothing: it takes its default action.
static int is_fault(int signal, const siginfo_t *info) {
  if (info->si_code <= 0) return 0;  // sent by a process
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
         signal == SIGTRAP || signal == SIGSYS;
}

static void end_by_fault(int number) {
  signal(number, SIG_DFL);
  // These two do not come again by themselves. Blocked until the handler returns.
  if (number == SIGTRAP || number == SIGSYS) raise(number);
}

static void call_earlier(uint32_t index, int signal, siginfo_t *info, void *context) {
  // order: relaxed; the whole of it is one word, and the kernel orders its installing.
  uint64_t word = __atomic_load_n(&earlier[index][signal], __ATOMIC_RELAXED);
  // order: relaxed; as above.
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
  // order: relaxed; a signal may be told while its last source goes away, or not.
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

// MARK: Catching and giving back

static uint64_t word_of(const struct sigaction *action) {
  if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) return 0;
  uint64_t word = (uint64_t)(uintptr_t)action->sa_handler;
  if (action->sa_flags & SA_SIGINFO) word |= takes_info;
  if (action->sa_flags & (int)SA_RESETHAND) word |= only_once;
  return word;
}

/// Ours in place of `old`: what the earlier handler had blocked stays blocked, and a
/// call that it interrupted is still interrupted, because the program may rely on it.
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
    // Who ignores SIGCHLD has the kernel bury the children.
    if (old->sa_handler == SIG_IGN) ours.sa_flags |= SA_NOCLDWAIT;
  }
  return ours;
}

static void remember(const struct sigaction *old, uint32_t index, int signal) {
  found[index][signal] = *old;
  // order: relaxed; as in `call_earlier`.
  __atomic_store_n(&earlier[index][signal], word_of(old), __ATOMIC_RELAXED);
}

static void set_counting(int signal, uint32_t who) {
  // order: relaxed; a signal that comes before it came before the source did.
  __atomic_store_n(&counting[signal], who, __ATOMIC_RELAXED);
}

static int install(int signal, const struct sigaction *old, uint32_t index) {
  remember(old, index, signal);
  struct sigaction ours = ours_over(old, index), replaced;
  if (sigaction(signal, &ours, &replaced) != 0) return errno;
  // Another thread of the program changed it in between.
  if (replaced.sa_handler != old->sa_handler) remember(&replaced, index, signal);
  in_use[signal] = (uint8_t)(index + 1);
  set_counting(signal, index + 1);
  return 0;
}

/// The index of the function of ours that handles the signal, or -1.
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
  // It was there all along, or the program has taken its own away again.
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
  // order: relaxed; as in `call_earlier`.
  uint64_t word = __atomic_load_n(&earlier[index][signal], __ATOMIC_RELAXED);
  // It was to be called once, and was.
  if (word == 0 && old.sa_handler != SIG_IGN) old.sa_handler = SIG_DFL;
  if (sigaction(signal, &old, NULL) == 0) in_use[signal] = (uint8_t)index;
}

// MARK: Telling

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
  // order: relaxed; the kernel orders it with the handlers that are installed later.
  __atomic_store_n(&owner, getpid(), __ATOMIC_RELAXED);
  // order: relaxed; as above.
  __atomic_store_n(&descriptor, target, __ATOMIC_RELAXED);
}

void csb_signals_end(void) {
  // order: relaxed; a signal under way may write to it still.
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
