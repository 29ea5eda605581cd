// inotify.h — what happens to files, and what is known of one.
#pragma once

#include <stdint.h>

/// One event of an inotify descriptor.
struct csb_file_event {
  /// The number of the watch; -1 where it is about none.
  int32_t watch;
  /// The kernel's bits.
  uint32_t bits;
  /// Whether it is about an entry of the directory that is watched.
  int32_t named;
};

/// Returns the descriptor, close-on-exec and non-blocking, or -errno.
int csb_inotify_create(void);

/// Watches the file that `descriptor` stands for, or the directory around it. Needs a
/// mounted /proc. Returns the number of the watch, or -errno.
int csb_inotify_add(int inotify, int descriptor, int around, uint32_t bits);

int csb_inotify_remove(int inotify, int watch);

/// As many events as there are and fit, without waiting; `capacity` must be
/// CSB_FILE_EVENTS. Returns how many, or -errno.
#define CSB_FILE_EVENTS 512
long csb_inotify_read(int inotify, struct csb_file_event *_Nonnull events,
                      int capacity);

/// What is known of a file. Times are nanoseconds since 1970.
struct csb_file_status {
  uint64_t device;
  uint64_t inode;
  uint64_t links;
  int64_t size;
  int64_t modified;
  int64_t changed;
  /// When this was read, on the clock that the kernel takes a file's times from.
  int64_t taken;
  uint32_t mode;
  uint32_t user;
  uint32_t group;
  /// Whether it is in no file system that has names: a pipe, a socket, an eventfd.
  int32_t nameless;
};

/// Returns 0 or an errno.
int csb_file_status_read(int descriptor, struct csb_file_status *_Nonnull status);

/// By which path the file was opened, as it is called now; not terminated. Returns its
/// length, or -errno.
long csb_descriptor_path(int descriptor, char *_Nonnull path, long capacity);
