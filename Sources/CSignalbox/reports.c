#define _GNU_SOURCE
#include "CSignalbox/reports.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "CSignalbox/environment.h"
#include "CSignalbox/trap.h"

/// The largest write that a pipe takes completely or not at all. A descriptor
/// that may be a pipe gets at most this much at a time, after it has reported
/// that there is room.
enum { piece = 4096, limit = 1000 };

static int write_all(int descriptor, const char *bytes, size_t size) {
  while (size > 0) {
    struct pollfd room = {.fd = descriptor, .events = POLLOUT};
    int ready = poll(&room, 1, limit);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return errno;
    if (ready == 0) return EAGAIN;
    ssize_t count = write(descriptor, bytes, size < piece ? size : piece);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return errno;
    bytes += count;
    size -= (size_t)count;
  }
  return 0;
}

static int write_to_file(const char *path, const char *bytes, size_t size) {
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644);
  if (file < 0) return errno;
  int error = 0;
  while (size > 0 && !error) {
    ssize_t count = write(file, bytes, size);
    if (count < 0) {
      if (errno != EINTR) error = errno;
    } else {
      bytes += count;
      size -= (size_t)count;
    }
  }
  close(file);
  return error;
}

int csb_report_write(const char *path, const void *bytes, size_t size) {
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  sigpending(&pending);
  int error = path ? write_to_file(path, bytes, size) : write_all(STDERR_FILENO, bytes, size);
  // Keep a signal that was pending before.
  if (error == EPIPE && !sigismember(&pending, SIGPIPE)) {
    struct timespec none = {0, 0};
    while (sigtimedwait(&broken, NULL, &none) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

// A function of SignalboxTrace, in Swift. Its address is null if the program
// does not link that module.
extern void csb_report_begin(const char *wanted) __attribute__((weak));

/// Runs before `main`, because the program may hang later, and that is when a
/// report is wanted. Does nothing and installs no handler if the variable is
/// not set.
__attribute__((constructor)) static void begin_reports(void) {
  const char *wanted = csb_environment("SIGNALBOX_REPORT");
  if (!wanted || !wanted[0]) return;
  if (csb_report_begin) {
    csb_report_begin(wanted);
  } else {
    csb_warn("SIGNALBOX: SIGNALBOX_REPORT is set, but this program is linked without the "
                 "module SignalboxTrace: no signal makes it report. Link it with the product "
                 "SignalboxTrace as well, or use `signalbox report PID`.");
  }
}
