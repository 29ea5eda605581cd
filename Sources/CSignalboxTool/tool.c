#define _GNU_SOURCE
#include "csignalboxtool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

const char *csb_tool_environment(const char *name) { return secure_getenv(name); }

int csb_tool_has_capabilities(const char *path) {
  return getxattr(path, "security.capability", 0, 0) > 0;
}

int csb_tool_copy_memory(int process, unsigned long address, void *to, unsigned long size) {
  struct iovec local = {.iov_base = to, .iov_len = size};
  struct iovec remote = {.iov_base = (void *)address, .iov_len = size};
  ssize_t count = process_vm_readv(process, &local, 1, &remote, 1, 0);
  if (count < 0) return errno;
  return (unsigned long)count == size ? 0 : EFAULT;
}

int csb_tool_open_file(const char *path) {
  // Looks at the file's type first, without opening the file itself.
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return -errno;
  struct stat status;
  int result = fstat(place, &status) < 0 ? -errno : S_ISREG(status.st_mode) ? 0 : -ENODEV;
  if (result == 0) {
    char same[32];
    snprintf(same, sizeof same, "/proc/self/fd/%d", place);
    result = open(same, O_RDONLY | O_CLOEXEC);
    if (result < 0) result = -errno;
  }
  close(place);
  return result;
}

/// A function of Swift's standard library.
char *swift_demangle(const char *symbol, size_t length, char *words, size_t *capacity,
                     uint32_t flags);

int csb_tool_demangle(const char *symbol, char *words, unsigned long capacity) {
  char *made = swift_demangle(symbol, strlen(symbol), NULL, NULL, 0);
  if (!made) return 0;
  strncpy(words, made, capacity - 1);
  words[capacity - 1] = 0;
  free(made);
  return 1;
}

unsigned long csb_tool_uptime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec;
}

void csb_tool_end_with(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before that.
  if (getppid() != parent) _exit(1);
}

int csb_tool_start_copy(int *reader, int *writer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  pid_t parent = getpid();
  pid_t copy = fork();
  if (copy < 0) {
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    return -error;
  }
  if (copy == 0) {
    csb_tool_end_with(parent);
    close(ends[0]);
    *writer = ends[1];
  } else {
    close(ends[1]);
    *reader = ends[0];
  }
  return copy;
}

long csb_tool_read_within(int file, void *to, unsigned long size, unsigned seconds) {
  unsigned long end = csb_tool_uptime() + seconds * 1000000000ul;
  for (;;) {
    unsigned long now = csb_tool_uptime();
    struct pollfd polled = {.fd = file, .events = POLLIN};
    int count = poll(&polled, 1, now < end ? (int)((end - now) / 1000000 + 1) : 0);
    if (count == 0 && now >= end) return -ETIME;
    if (count < 0 && errno != EINTR) return -errno;
    if (count <= 0) continue;
    ssize_t got = read(file, to, size);
    if (got >= 0) return got;
    if (errno != EINTR) return -errno;
  }
}

int csb_tool_end_copy(int copy, int kills) {
  if (kills) kill(copy, SIGKILL);
  int status = 0;
  while (waitpid(copy, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int csb_tool_accept(int socket) { return accept4(socket, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int csb_tool_poll(struct pollfd *polled, unsigned long count, int milliseconds) {
  return poll(polled, count, milliseconds);
}
