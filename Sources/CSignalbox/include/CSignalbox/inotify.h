// inotify.h — file events, and the status of a file.
#pragma once

#include <stdint.h>

/// One event of an inotify descriptor.
struct csb_file_event {
  /// The number of the watch; -1 if the event concerns no watch.
  int32_t watch;
  /// The kernel's event bits.
  uint32_t bits;
  /// Whether the event concerns an entry of the watched directory.
  int32_t named;
};

/// Returns the descriptor, close-on-exec and non-blocking, or -errno.
int csb_inotify_create(void);

/// Watches the file of `descriptor`; or, if `around` is not 0, the directory
/// that contains the file. Needs a mounted /proc. Returns the number of the
/// watch, or -errno.
int csb_inotify_add(int inotify, int descriptor, int around, uint32_t bits);

int csb_inotify_remove(int inotify, int watch);

/// Reads as many events as are available and fit, without waiting. `capacity`
/// must be CSB_FILE_EVENTS. Returns the number of events, or -errno.
#define CSB_FILE_EVENTS 512
long csb_inotify_read(int inotify, struct csb_file_event *_Nonnull events,
                      int capacity);

/// The status of a file. Times are in nanoseconds since 1970.
struct csb_file_status {
  uint64_t device;
  uint64_t inode;
  uint64_t links;
  int64_t size;
  int64_t modified;
  int64_t changed;
  /// When the status was read, on the clock that the kernel uses for file
  /// times.
  int64_t taken;
  uint32_t mode;
  uint32_t user;
  uint32_t group;
  /// Whether the file has no name in a file system: a pipe, a socket, an
  /// eventfd.
  int32_t nameless;
};

/// Returns 0 or an errno.
int csb_file_status_read(int descriptor, struct csb_file_status *_Nonnull status);

/// Writes the current path of an open file, without a terminating zero. Returns
/// its length, or -errno.
long csb_descriptor_path(int descriptor, char *_Nonnull path, long capacity);
