#define _GNU_SOURCE
#include "CSignalbox/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "CSignalbox/clock.h"

static int or_error(int result) { return result < 0 ? -errno : result; }

int csb_epoll_create(void) { return or_error(epoll_create1(EPOLL_CLOEXEC)); }

int csb_eventfd_create(void) {
  return or_error(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

int csb_timerfd_create(int clock) {
  static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME,
                                     CLOCK_BOOTTIME};
  return or_error(timerfd_create(clocks[clock], TFD_CLOEXEC | TFD_NONBLOCK));
}

void csb_descriptor_close(int descriptor) { close(descriptor); }

int csb_descriptor_replace(int descriptor, int replacement) {
  if (replacement == descriptor) return 0;
  int error = 0;
  while (dup3(replacement, descriptor, O_CLOEXEC) < 0) {
    if (errno == EINTR || errno == EBUSY) continue;
    error = errno;
    break;
  }
  close(replacement);
  return error;
}

static int control(int set, int operation, int descriptor, uint32_t events,
                   uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return epoll_ctl(set, operation, descriptor, &event) == 0 ? 0 : errno;
}

int csb_epoll_add(int set, int descriptor, uint32_t events, uint64_t token) {
  return control(set, EPOLL_CTL_ADD, descriptor, events, token);
}

int csb_epoll_change(int set, int descriptor, uint32_t events, uint64_t token) {
  return control(set, EPOLL_CTL_MOD, descriptor, events, token);
}

int csb_epoll_remove(int set, int descriptor) {
  return control(set, EPOLL_CTL_DEL, descriptor, 0, 0);
}

static int hand_over(const struct epoll_event *events, int count,
                     struct csb_epoll_event *found) {
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) {
    found[i].token = events[i].data.u64;
    found[i].events = events[i].events;
  }
  return count;
}

int csb_epoll_wait(int set, struct csb_epoll_event *found, int capacity,
                   int milliseconds) {
  struct epoll_event events[CSB_EPOLL_BATCH];
  if (capacity > CSB_EPOLL_BATCH) capacity = CSB_EPOLL_BATCH;
  return hand_over(events, epoll_wait(set, events, capacity, milliseconds), found);
}

// The number in the kernel's generic table, which every architecture uses for
// newer calls. Kernels before 5.11 lack this call, and sandboxes older than the
// call refuse it.
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static int has_no_pwait2;

static int wait_for(int set, struct epoll_event *events, int capacity,
                    const struct timespec *length) {
  // order: relaxed; an old value only costs one more call that fails.
  if (!__atomic_load_n(&has_no_pwait2, __ATOMIC_RELAXED)) {
    int count = (int)syscall(SYS_epoll_pwait2, set, events, capacity, length, NULL, 0);
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
    // order: relaxed; an old value only costs one more call that fails.
    __atomic_store_n(&has_no_pwait2, 1, __ATOMIC_RELAXED);
  }
  // An epoll set is itself readable when a descriptor in it is ready.
  struct pollfd entry = {.fd = set, .events = POLLIN};
  int ready = ppoll(&entry, 1, length, NULL);
  return ready <= 0 ? ready : epoll_wait(set, events, capacity, 0);
}

int csb_epoll_wait_until(int set, struct csb_epoll_event *found, int capacity,
                         uint64_t deadline) {
  struct epoll_event events[CSB_EPOLL_BATCH];
  if (capacity > CSB_EPOLL_BATCH) capacity = CSB_EPOLL_BATCH;
  int count;
  if (deadline == UINT64_MAX) {
    count = epoll_wait(set, events, capacity, -1);
  } else {
    uint64_t now = csb_clock_uptime();
    if (deadline <= now) {
      count = epoll_wait(set, events, capacity, 0);
    } else {
      uint64_t length = deadline - now;
      struct timespec relative = {.tv_sec = (time_t)(length / 1000000000u),
                                  .tv_nsec = (long)(length % 1000000000u)};
      count = wait_for(set, events, capacity, &relative);
    }
  }
  return hand_over(events, count, found);
}

int64_t csb_descriptor_available(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

int csb_descriptor_is_at_mark(int descriptor) {
  int is_at_mark = 0;
  return ioctl(descriptor, SIOCATMARK, &is_at_mark) == 0 && is_at_mark;
}

int64_t csb_descriptor_space(int descriptor) {
  int used = 0, size = 0;
  socklen_t length = sizeof size;
  if (getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0) {
    // The kernel counts twice the size that a program may use, for its own
    // bookkeeping.
    return ioctl(descriptor, SIOCOUTQ, &used) == 0 ? size / 2 - used : -1;
  }
  size = fcntl(descriptor, F_GETPIPE_SZ);
  if (size > 0 && ioctl(descriptor, FIONREAD, &used) == 0) return size - used;
  return -1;
}

int csb_descriptor_poll(int descriptor) {
  struct pollfd entry = {.fd = descriptor, .events = POLLIN | POLLOUT | POLLRDHUP};
  return poll(&entry, 1, 0) > 0 ? entry.revents : 0;
}

int64_t csb_file_left(int descriptor) {
  struct stat file;
  if (fstat(descriptor, &file) != 0) return CSB_FILE_ENDLESS;
  if (S_ISCHR(file.st_mode)) {
    return file.st_rdev == makedev(1, 3) ? 0 : CSB_FILE_ENDLESS;
  }
  if (!S_ISREG(file.st_mode)) return CSB_FILE_ENDLESS;
  // The kernel's own files have contents but report size 0.
  struct statfs system;
  if (file.st_size == 0 && fstatfs(descriptor, &system) == 0 &&
      (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)) {
    return CSB_FILE_ENDLESS;
  }
  off_t offset = lseek(descriptor, 0, SEEK_CUR);
  return offset < 0 ? CSB_FILE_ENDLESS : file.st_size - offset;
}

void csb_eventfd_signal(int descriptor) {
  uint64_t one = 1;
  // EAGAIN means that the counter is full, so it is readable: nothing is lost.
  ssize_t written = write(descriptor, &one, sizeof one);
  (void)written;
}

uint64_t csb_descriptor_drain(int descriptor) {
  uint64_t count = 0;
  ssize_t size = read(descriptor, &count, sizeof count);
  return size == (ssize_t)sizeof count ? count : 0;
}

int csb_guard_create(void) {
  return or_error(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
}

void csb_guard_wait(int descriptor) {
  uint64_t count = 0;
  ssize_t size = read(descriptor, &count, sizeof count);
  (void)size;
}

int csb_timerfd_arm(int descriptor, uint64_t deadline) {
  struct itimerspec when = {
      .it_value = {.tv_sec = (time_t)(deadline / 1000000000u),
                   .tv_nsec = (long)(deadline % 1000000000u)}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, 0) == 0 ? 0
                                                                       : errno;
}
