#define _GNU_SOURCE
#include "csignalboxtool.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>
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

unsigned long csb_tool_uptime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec;
}

void csb_tool_end_after(unsigned seconds) {
  // A parent may have left the signal ignored or blocked.
  signal(SIGALRM, SIG_DFL);
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarms, 0);
  alarm(seconds);
}
