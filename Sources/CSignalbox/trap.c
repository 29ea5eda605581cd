#include "CSignalbox/trap.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void csb_warn(const char *text) {
  struct iovec parts[2] = {
      {.iov_base = (void *)text, .iov_len = strlen(text)},
      {.iov_base = (void *)"\n", .iov_len = 1},
  };
  // A process that is about to end cannot use the result.
  ssize_t written = writev(STDERR_FILENO, parts, 2);
  (void)written;
}

void csb_warn_if_taken(const char *text) {
  struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
  if (poll(&out, 1, 0) == 1 && out.revents == POLLOUT) csb_warn(text);
}

void csb_error_text(int error, char *text, size_t size) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
  char *found = strerror_r(error, text, size);
  if (found != text) {
    strncpy(text, found, size - 1);
    text[size - 1] = 0;
  }
#else
  if (strerror_r(error, text, size) != 0) text[0] = 0;
#endif
}

void csb_trap(const char *text) {
  csb_warn(text);
  // Raise the signal like abort does, but from here: the C library's frames
  // have no frame pointers, so a backtracer that follows them finds no callers
  // from within abort.
  sigset_t aborts;
  sigemptyset(&aborts);
  sigaddset(&aborts, SIGABRT);
  pthread_sigmask(SIG_UNBLOCK, &aborts, NULL);
  syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGABRT);
  signal(SIGABRT, SIG_DFL);  // a handler that returned is called once, as by abort
  abort();
}
