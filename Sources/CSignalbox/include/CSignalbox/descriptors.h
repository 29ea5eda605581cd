// descriptors.h — epoll, eventfd and timerfd, all close-on-exec.
#pragma once

#include <stdint.h>

/// Each of these returns the descriptor, or -errno.
int csb_epoll_create(void);
int csb_eventfd_create(void);
/// `clock`: 0 for uptime, 1 for wall time, 2 for uptime that includes
/// suspension.
int csb_timerfd_create(int clock);

void csb_descriptor_close(int descriptor);

/// Makes `descriptor` refer to the open file of `replacement`, close-on-exec,
/// and closes `replacement`, unless both are the same number.
int csb_descriptor_replace(int descriptor, int replacement);

/// Adds, changes or removes a descriptor in the set. `events` are epoll's own
/// bits.
int csb_epoll_add(int set, int descriptor, uint32_t events, uint64_t token);
int csb_epoll_change(int set, int descriptor, uint32_t events, uint64_t token);
int csb_epoll_remove(int set, int descriptor);

/// A ready descriptor of a set.
struct csb_epoll_event {
  uint64_t token;
  uint32_t events;
};

/// The maximum number of events that one call returns.
#define CSB_EPOLL_BATCH 64

/// Sleeps until a descriptor in the set is ready or `milliseconds` have passed
/// (-1: no limit). Writes up to `capacity` events and returns how many, or
/// -errno.
int csb_epoll_wait(int set, struct csb_epoll_event *_Nonnull found, int capacity,
                   int milliseconds);

/// Like `csb_epoll_wait`, until `deadline` in nanoseconds of the uptime clock.
/// UINT64_MAX waits without limit; a deadline in the past doesn't wait. Precise
/// to the nanosecond, as far as the kernel supports it.
int csb_epoll_wait_until(int set, struct csb_epoll_event *_Nonnull found, int capacity,
                         uint64_t deadline);

/// The number of bytes that can be read now; -1 if the kernel doesn't say.
int64_t csb_descriptor_available(int descriptor);
/// Whether the next byte of a socket is urgent data, at which the count of
/// `csb_descriptor_available` stops.
int csb_descriptor_is_at_mark(int descriptor);

/// The number of bytes that can be written now without blocking; -1 if the
/// kernel doesn't say.
int64_t csb_descriptor_space(int descriptor);

/// What the descriptor is ready for now, as poll's bits, which equal epoll's.
int csb_descriptor_poll(int descriptor);

/// The result of `csb_file_left` for a file without an end: a directory,
/// /dev/zero.
static const int64_t CSB_FILE_ENDLESS = INT64_MIN;

/// The number of bytes from a descriptor's position to the end of its file,
/// negative if the file is shorter; 0 for /dev/null.
int64_t csb_file_left(int descriptor);

/// Adds 1 to an eventfd; never blocks.
void csb_eventfd_signal(int descriptor);

/// Reads the count of an eventfd or the expirations of a timerfd; 0 if there
/// are none.
uint64_t csb_descriptor_drain(int descriptor);

/// Arms a timerfd for `deadline` nanoseconds on its clock; 0 disarms it.
int csb_timerfd_arm(int descriptor, uint64_t deadline);

/// Creates a timerfd on which a thread can sleep. Returns it, or -errno.
int csb_guard_create(void);

/// Sleeps until the timerfd expires or a signal arrives.
void csb_guard_wait(int descriptor);
