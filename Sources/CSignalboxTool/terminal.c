// terminal.c — gives a terminal back as it was, however the program ends.
//
// The program that draws is a child, with the usual actions for signals. Its parent only waits for it and
// then restores the terminal. So a signal, a crash and SIGKILL of the child all leave the terminal as it was;
// and a child that waits in the kernel for the pages of a hostile process can be ended, which only a signal
// without a handler does.

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "csignalboxtool.h"

static struct termios before;
static volatile sig_atomic_t child;

static void say(int terminal, const char *text, size_t length) {
  while (length > 0) {
    ssize_t count = write(terminal, text, length);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) text += count, length -= (size_t)count;
  }
}

#define SAY(terminal, text) say(terminal, text, sizeof text - 1)

/// Another screen, without a cursor; keys one by one and without an echo. Keys that send signals still do.
static void enter(int terminal) {
  struct termios raw = before;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(terminal, TCSADRAIN, &raw);
  SAY(terminal, "\033[?1049h\033[?25l");
}

static void leave(int terminal) {
  SAY(terminal, "\033[0m\033[?25h\033[?1049l");
  tcsetattr(terminal, TCSADRAIN, &before);
}

static void forward(int number) {
  if (child > 0) kill(child, number);
}

static void on(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, 0);
}

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM};
#define COUNT (sizeof forwarded / sizeof *forwarded)

/// Swift's runtime handles these on a terminal: it would print a backtrace on the other screen, and wait for keys.
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
#define CRASHES (sizeof crashes / sizeof *crashes)

/// Waits for the child, restores the terminal and ends as the child did.
static _Noreturn void guard(int terminal) {
  int status = 0;
  while (1) {
    pid_t ended = waitpid(child, &status, WUNTRACED);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0 || !WIFSTOPPED(status)) break;
    leave(terminal);
    raise(SIGSTOP);
    enter(terminal);
    kill(child, SIGCONT);
  }
  child = 0;
  leave(terminal);
  if (WIFSIGNALED(status)) {
    on(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

int csb_tool_guard_terminal(int terminal) {
  if (tcgetattr(terminal, &before) != 0) return errno;
  sigset_t signals, old;
  sigemptyset(&signals);
  for (size_t i = 0; i < COUNT; i++) sigaddset(&signals, forwarded[i]);
  sigprocmask(SIG_BLOCK, &signals, &old);
  pid_t parent = getpid();
  pid_t made = fork();
  if (made < 0) {
    int error = errno;
    sigprocmask(SIG_SETMASK, &old, 0);
    return error;
  }
  // A parent of this program may have left these signals ignored or blocked.
  if (made == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (size_t i = 0; i < COUNT; i++) on(forwarded[i], SIG_DFL);
    for (size_t i = 0; i < CRASHES; i++) on(crashes[i], SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &signals, 0);
    return 0;
  }
  child = made;
  for (size_t i = 0; i < COUNT; i++) on(forwarded[i], forward);
  // SIGTSTP stops only the child; this process stops after it has restored the terminal.
  on(SIGTSTP, SIG_IGN);
  on(SIGTTOU, SIG_IGN);
  sigprocmask(SIG_UNBLOCK, &signals, 0);
  guard(terminal);
}

void csb_tool_enter_terminal(int terminal) {
  if (tcgetattr(terminal, &before) == 0) enter(terminal);
}

/// A signal with a handler ends a wait for keys.
static void note_size(int number) { (void)number; }

void csb_tool_watch_size(void) { on(SIGWINCH, note_size); }

int csb_tool_terminal_size(int terminal, int *columns, int *rows) {
  struct winsize size = {0};
  if (ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}
