// descriptors.h — epoll, eventfd and timerfd, all close-on-exec.
#pragma once

#include <stdint.h>

/// Each returns the descriptor, or -errno.
int csb_epoll_create(void);
int csb_eventfd_create(void);
int csb_timerfd_create(int wall);

void csb_descriptor_close(int descriptor);

/// Makes `descriptor` stand for what `replacement` stands for, and closes the
/// latter. Close-on-exec.
int csb_descriptor_replace(int descriptor, int replacement);

/// Adds `descriptor` to the set for reading, level-triggered, under `token`.
int csb_epoll_add_readable(int set, int descriptor, uint64_t token);

/// Sleeps until something in the set is readable or `milliseconds` are over
/// (-1: for ever). Writes up to `capacity` tokens and returns how many, or
/// -errno.
int csb_epoll_wait(int set, uint64_t *_Nonnull tokens, int capacity,
                   int milliseconds);

/// Adds 1 to an eventfd; never blocks.
void csb_eventfd_signal(int descriptor);

/// Reads the count of an eventfd or the expirations of a timerfd; 0 if none.
uint64_t csb_descriptor_drain(int descriptor);

/// Sets a timerfd to fire at `deadline` nanoseconds on its clock; 0 disarms.
int csb_timerfd_arm(int descriptor, uint64_t deadline);
