#define _GNU_SOURCE
#include "CSignalbox/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int or_error(int result) { return result < 0 ? -errno : result; }

int csb_epoll_create(void) { return or_error(epoll_create1(EPOLL_CLOEXEC)); }

int csb_eventfd_create(void) {
  return or_error(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

int csb_timerfd_create(int wall) {
  return or_error(timerfd_create(wall ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                                 TFD_CLOEXEC | TFD_NONBLOCK));
}

void csb_descriptor_close(int descriptor) { close(descriptor); }

int csb_descriptor_replace(int descriptor, int replacement) {
  int error = 0;
  while (dup3(replacement, descriptor, O_CLOEXEC) < 0) {
    if (errno == EINTR || errno == EBUSY) continue;
    error = errno;
    break;
  }
  close(replacement);
  return error;
}

int csb_epoll_add_readable(int set, int descriptor, uint64_t token) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = token};
  return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

int csb_epoll_wait(int set, uint64_t *tokens, int capacity, int milliseconds) {
  struct epoll_event events[8];
  if (capacity > 8) capacity = 8;
  int count = epoll_wait(set, events, capacity, milliseconds);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) tokens[i] = events[i].data.u64;
  return count;
}

void csb_eventfd_signal(int descriptor) {
  uint64_t one = 1;
  // EAGAIN means the counter is full, hence readable: nothing is lost.
  ssize_t written = write(descriptor, &one, sizeof one);
  (void)written;
}

uint64_t csb_descriptor_drain(int descriptor) {
  uint64_t count = 0;
  ssize_t size = read(descriptor, &count, sizeof count);
  return size == (ssize_t)sizeof count ? count : 0;
}

int csb_timerfd_arm(int descriptor, uint64_t deadline) {
  struct itimerspec when = {
      .it_value = {.tv_sec = (time_t)(deadline / 1000000000u),
                   .tv_nsec = (long)(deadline % 1000000000u)}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, 0) == 0 ? 0
                                                                       : errno;
}
