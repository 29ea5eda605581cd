#define _GNU_SOURCE
#include "csignalboxtool.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/// The signals that end a program or that a program may use, and SIGCHLD.
static sigset_t attended(void) {
  static const int all[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD};
  sigset_t set;
  sigemptyset(&set);
  for (unsigned index = 0; index < sizeof all / sizeof *all; index++) sigaddset(&set, all[index]);
  return set;
}

int csb_tool_start_program(const char *path, char *const *words) {
  sigset_t set = attended(), before;
  // If SIGCHLD is ignored, the kernel keeps no status of the child for `waitpid`.
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &set, &before);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &before);
  pid_t child = 0;
  int error = posix_spawn(&child, path, NULL, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  return error ? -error : child;
}

int csb_tool_attend_program(int child, int milliseconds, int *status) {
  sigset_t set = attended();
  unsigned long end = csb_tool_uptime() + (unsigned long)milliseconds * 1000000ul;
  for (;;) {
    pid_t ended = waitpid(child, status, WNOHANG);
    if (ended == child) return 1;
    unsigned long now = csb_tool_uptime();
    if (now >= end) return 0;
    struct timespec left = {.tv_sec = (time_t)((end - now) / 1000000000ul),
                            .tv_nsec = (long)((end - now) % 1000000000ul)};
    siginfo_t information;
    int number = sigtimedwait(&set, &information, &left);
    // The kernel sends a terminal's signals to the program too: they are not forwarded.
    if (number > 0 && number != SIGCHLD && information.si_code != SI_KERNEL) kill(child, number);
  }
}

void csb_tool_end_like_program(int status) {
  if (WIFEXITED(status)) exit(WEXITSTATUS(status));
  int number = WTERMSIG(status);
  // Only the program may leave a core: this process must not write one too.
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
  exit(128 + number);
}
