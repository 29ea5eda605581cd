// descriptors.h — epoll, eventfd and timerfd, all close-on-exec.
#pragma once

#include <stdint.h>

/// Each returns the descriptor, or -errno.
int csb_epoll_create(void);
int csb_eventfd_create(void);
/// `clock`: 0 uptime, 1 wall, 2 uptime with suspension.
int csb_timerfd_create(int clock);

void csb_descriptor_close(int descriptor);

/// Makes `descriptor` stand for what `replacement` stands for, and closes the
/// latter. Close-on-exec.
int csb_descriptor_replace(int descriptor, int replacement);

/// Adds, changes or removes a descriptor in the set, for epoll's own `events`.
int csb_epoll_add(int set, int descriptor, uint32_t events, uint64_t token);
int csb_epoll_change(int set, int descriptor, uint32_t events, uint64_t token);
int csb_epoll_remove(int set, int descriptor);

/// What one descriptor of a set is ready for.
struct csb_epoll_event {
  uint64_t token;
  uint32_t events;
};

/// The most events that one call finds.
#define CSB_EPOLL_BATCH 64

/// Sleeps until something in the set is ready or `milliseconds` are over (-1: for
/// ever). Writes up to `capacity` events and returns how many, or -errno.
int csb_epoll_wait(int set, struct csb_epoll_event *_Nonnull found, int capacity,
                   int milliseconds);

/// The same, until `deadline` nanoseconds of the uptime clock (UINT64_MAX: for ever; what
/// has passed: not at all). To the nanosecond, as far as the kernel keeps it.
int csb_epoll_wait_until(int set, struct csb_epoll_event *_Nonnull found, int capacity,
                         uint64_t deadline);

/// Bytes that can be read now; -1 if the kernel does not tell.
int64_t csb_descriptor_available(int descriptor);
/// Whether the next byte of a socket is an urgent one, at which that count ends.
int csb_descriptor_is_at_mark(int descriptor);

/// Bytes that can be written now without waiting; -1 if the kernel does not tell.
int64_t csb_descriptor_space(int descriptor);

/// What a descriptor is ready for now, in poll's own bits, which are epoll's.
int csb_descriptor_poll(int descriptor);

/// What `csb_file_left` returns for what has no end: a directory, /dev/zero.
static const int64_t CSB_FILE_ENDLESS = INT64_MIN;

/// Bytes between the place of a file's descriptor and its end, below 0 if the
/// file is shorter; 0 for /dev/null.
int64_t csb_file_left(int descriptor);

/// Adds 1 to an eventfd; never blocks.
void csb_eventfd_signal(int descriptor);

/// Reads the count of an eventfd or the expirations of a timerfd; 0 if none.
uint64_t csb_descriptor_drain(int descriptor);

/// Sets a timerfd to fire at `deadline` nanoseconds on its clock; 0 disarms.
int csb_timerfd_arm(int descriptor, uint64_t deadline);

/// A timerfd on which a thread can sleep; -errno if it is refused.
int csb_guard_create(void);

/// Sleeps until it goes off, or a signal comes.
void csb_guard_wait(int descriptor);
