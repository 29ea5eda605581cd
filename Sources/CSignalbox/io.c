#define _GNU_SOURCE
#include "CSignalbox/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct csb_io_part) == sizeof(struct iovec) &&
                   offsetof(struct csb_io_part, size) == offsetof(struct iovec, iov_len),
               "a part is laid out as an iovec");

// The C library's header may be older than the kernel.
#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

enum {
  /// A terminal with at least this many characters in its buffer is not
  /// writable (WAKEUP_CHARS of the line discipline); the buffer holds several
  /// times as many.
  terminal_room = 256,
};

// MARK: Inspecting

int csb_io_look(int descriptor, struct csb_io_facts *facts) {
  struct stat status;
  if (fstat(descriptor, &status) < 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  facts->position = lseek(descriptor, 0, SEEK_CUR);
  facts->position_error = facts->position < 0 ? errno : 0;
  facts->is_pipe = S_ISFIFO(status.st_mode);
  facts->is_unwritten = 0;
  facts->device = (uint64_t)status.st_dev;
  facts->file = (uint64_t)status.st_ino;
  if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) {
    facts->manner = CSB_IO_DISK;
  } else if (S_ISSOCK(status.st_mode)) {
    facts->manner = CSB_IO_SOCKET;
  } else {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) return errno;
    facts->is_unwritten = facts->is_pipe && (flags & O_ACCMODE) != O_WRONLY;
    facts->manner = flags & O_NONBLOCK          ? CSB_IO_NONBLOCKING
                    : facts->is_pipe           ? CSB_IO_PIPE
                                               : CSB_IO_OTHER;
  }
  return 0;
}

int csb_io_is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF; }

int csb_io_look_at_path(const char *path, int flags, int needs_offset) {
  struct stat status;
  int found = flags & O_NOFOLLOW ? lstat(path, &status) : stat(path, &status);
  if (found == 0) {
    if (S_ISDIR(status.st_mode)) return EISDIR;
    if (needs_offset && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))) return ESPIPE;
    return 0;
  }
  int error = errno;
  size_t length = strlen(path);
  if (error != ENOENT || !(flags & O_CREAT) || path[length - 1] == '/') return error;
  if (length >= PATH_MAX) return ENAMETOOLONG;
  char folder[PATH_MAX];
  memcpy(folder, path, length + 1);
  char *name = strrchr(folder, '/');
  name[name == folder ? 1 : 0] = 0;
  return stat(folder, &status) == 0 ? 0 : errno;
}

int csb_io_open(const char *path, int flags, unsigned mode) {
  // A regular file has no other side. With O_NONBLOCK, opening it would fail
  // while another process gives up a lease on it.
  struct stat status;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
    flags |= O_NONBLOCK;
  }
  int descriptor;
  do {
    descriptor = open(path, flags | O_CLOEXEC, (mode_t)mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor < 0 ? -errno : descriptor;
}

void csb_io_close(int descriptor) { close(descriptor); }

// MARK: Without waiting

/// Whether the system does not support or does not allow the call for this
/// descriptor.
static int is_refused(int error) {
  return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL || error == EPERM;
}

/// Uses the call's number: the C library may lack the function although the
/// kernel has the call.
static ssize_t read_nowait(int descriptor, const struct iovec *parts, int count) {
  return syscall(SYS_preadv2, descriptor, parts, (long)count, -1L, -1L, RWF_NOWAIT);
}

static ssize_t write_nowait(int descriptor, const struct iovec *parts, int count) {
  return syscall(SYS_pwritev2, descriptor, parts, (long)count, -1L, -1L, RWF_NOWAIT);
}

/// Returns 0, or -1 with an errno: EAGAIN if the call would block.
static int ask(int descriptor, short events) {
  struct pollfd asked = {.fd = descriptor, .events = events};
  int count = poll(&asked, 1, 0);
  if (count > 0 && !(asked.revents & POLLNVAL)) return 0;
  if (count >= 0) errno = count == 0 ? EAGAIN : EBADF;
  return -1;
}

static ssize_t read_ready(int descriptor, void *bytes, size_t size, int manner) {
  if (manner == CSB_IO_PIPE || manner == CSB_IO_OTHER) {
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    ssize_t count = read_nowait(descriptor, &part, 1);
    if (count >= 0 || !is_refused(errno)) return count;
  }
  if (ask(descriptor, POLLIN) < 0) return -1;
  return read(descriptor, bytes, size);
}

static ssize_t write_ready(int descriptor, const struct iovec *parts, int count, int manner) {
  if (manner == CSB_IO_PIPE || manner == CSB_IO_OTHER) {
    ssize_t written = write_nowait(descriptor, parts, count);
    if (written >= 0 || !is_refused(errno)) return written;
  }
  if (ask(descriptor, POLLOUT) < 0) return -1;
  int is_pipe = manner == CSB_IO_PIPE || manner == CSB_IO_POLLED_PIPE;
  size_t limit = is_pipe ? PIPE_BUF : terminal_room;
  size_t size = parts[0].iov_len < limit ? parts[0].iov_len : limit;
  return write(descriptor, parts[0].iov_base, size);
}

// MARK: Reading

static ssize_t read_once(int descriptor, void *bytes, size_t size, int64_t offset, int manner) {
  if (offset >= 0) return pread(descriptor, bytes, size, offset);
  switch (manner) {
  case CSB_IO_SOCKET: return recv(descriptor, bytes, size, MSG_DONTWAIT);
  case CSB_IO_DISK:
  case CSB_IO_NONBLOCKING: return read(descriptor, bytes, size);
  default: return read_ready(descriptor, bytes, size, manner);
  }
}

long csb_io_read(int descriptor, void *bytes, size_t size, int64_t offset, int manner) {
  ssize_t count;
  do {
    count = read_once(descriptor, bytes, size, offset, manner);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? -(long)errno : (long)count;
}

// MARK: Writing

static ssize_t write_once(int descriptor, const struct iovec *parts, int count, int64_t offset,
                          int manner) {
  if (offset >= 0) return pwritev(descriptor, parts, count, offset);
  switch (manner) {
  case CSB_IO_SOCKET: {
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    return sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  case CSB_IO_DISK:
  case CSB_IO_NONBLOCKING: return writev(descriptor, parts, count);
  default: return write_ready(descriptor, parts, count, manner);
  }
}

static ssize_t size_of(const struct iovec *parts, int count) {
  size_t size = 0;
  for (int i = 0; i < count; i++) size += parts[i].iov_len;
  return (ssize_t)size;
}

/// Writes with SIGPIPE blocked. The kernel sends the signal to the writing
/// thread, so this function blocks it for that thread only and removes it
/// afterwards: no other thread's signal handling changes. A SIGPIPE that was
/// already pending belongs to the program and stays.
static ssize_t write_quietly(int descriptor, const struct iovec *parts, int count, int manner) {
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  int was_pending = 0;
  if (sigismember(&before, SIGPIPE)) {
    sigpending(&pending);
    was_pending = sigismember(&pending, SIGPIPE);
  }
  ssize_t written = write_once(descriptor, parts, count, -1, manner);
  int error = errno;
  // A write that the last reader's exit interrupted may return a count and also
  // have sent the signal.
  if (!was_pending && written < size_of(parts, count)) {
    struct timespec none = {0, 0};
    while (sigtimedwait(&broken, NULL, &none) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return written;
}

long csb_io_write(int descriptor, const struct csb_io_part *parts, int count, int64_t offset,
                  int manner) {
  const struct iovec *vectors = (const struct iovec *)parts;
  ssize_t written;
  do {
    written = offset >= 0 || manner == CSB_IO_DISK || manner == CSB_IO_SOCKET
                  ? write_once(descriptor, vectors, count, offset, manner)
                  : write_quietly(descriptor, vectors, count, manner);
  } while (written < 0 && errno == EINTR);
  return written < 0 ? -(long)errno : (long)written;
}
