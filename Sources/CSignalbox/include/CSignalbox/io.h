// io.h — one transfer between a descriptor and memory that does not wait for the
// other side.
//
// The flag O_NONBLOCK belongs to the open file, which other processes may share:
// a shell shares its terminal with everything that it starts. So these functions
// leave the flag alone. Each call asks not to wait, in the way that its kind of
// descriptor supports.
//
// disk         files and block devices: the call waits for the disk.
// socket       recv and send with MSG_DONTWAIT.
// nonblocking  O_NONBLOCK is already set.
// pipe, other  preadv2 and pwritev2 with RWF_NOWAIT, if the kernel supports it for
//              them. Otherwise the call first asks poll(2), without waiting. Then
//              - a read of a readable descriptor takes what there is and returns;
//              - a write to a pipe of at most PIPE_BUF bytes returns: a pipe is
//                writable when one of its slots is free, a slot holds a page, and
//                a page has at least PIPE_BUF bytes (fs/pipe.c: pipe_poll,
//                pipe_write; pipe(7));
//              - a write to a terminal returns if it has at most as many bytes as
//                the terminal's buffer may hold while the terminal is writable,
//                unless the terminal is halted then.
//              Another process that uses the same pipe may take the data between
//              the question and the call: then the call blocks a worker, which the
//              pool replaces.
//
// Rejected     opening the descriptor a second time through /proc/self/fd, to get
//              a separate open file: for a pseudo-terminal's master it opens
//              another terminal, it needs rights on the file that the process may
//              no longer have, and in a forked child it keeps the writing end of a
//              pipe open that the child believes it has closed.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
  CSB_IO_DISK = 0,
  CSB_IO_SOCKET = 1,
  CSB_IO_NONBLOCKING = 2,
  CSB_IO_PIPE = 3,
  CSB_IO_OTHER = 4,
  /// As the two above, but with poll(2) alone, as on a kernel without
  /// RWF_NOWAIT.
  CSB_IO_POLLED_PIPE = 5,
  CSB_IO_POLLED_OTHER = 6,
};

/// The properties of a descriptor.
struct csb_io_facts {
  /// One of the constants above.
  int manner;
  /// The position of the next byte to read or write; -1 if the descriptor has
  /// no position.
  int64_t position;
  /// The errno that says why it has no position.
  int position_error;
  /// Whether the descriptor is a pipe, with or without a name.
  int is_pipe;
  /// Whether it is a pipe that can be read, and so may have had no writer yet. An end that only
  /// writes never becomes readable; a read of it fails at once.
  int is_unwritten;
  /// Identify the file.
  uint64_t device;
  uint64_t file;
};

/// Inspects `descriptor`. Returns 0 or an errno: EBADF, or EISDIR for a
/// directory.
int csb_io_look(int descriptor, struct csb_io_facts *_Nonnull facts);

/// Whether the descriptor is open.
int csb_io_is_open(int descriptor);

/// Inspects the file that open(2) would find at `path`. Returns 0 or an errno.
/// A missing file that would be created is not an error if its directory
/// exists.
int csb_io_look_at_path(const char *_Nonnull path, int flags, int needs_offset);

/// Opens `path`, close-on-exec. Opening a file that is not a regular file
/// doesn't wait for the other side, and the descriptor is non-blocking, because
/// no other process shares it. Returns the descriptor, or -errno.
int csb_io_open(const char *_Nonnull path, int flags, unsigned mode);

void csb_io_close(int descriptor);

/// Reads at most `size` bytes at `offset`, or at the descriptor's position if
/// `offset` is negative. Returns the number of bytes, 0 at the end, or -errno;
/// -EAGAIN if the call would block.
long csb_io_read(int descriptor, void *_Nonnull bytes, size_t size, int64_t offset, int manner);

/// A contiguous range of bytes, with the layout of the system's iovec.
struct csb_io_part {
  const void *_Nullable bytes;
  size_t size;
};

/// Writes from `count` parts, with the same rules as `csb_io_read`. Returns
/// EPIPE and raises no SIGPIPE.
long csb_io_write(int descriptor, const struct csb_io_part *_Nonnull parts, int count,
                  int64_t offset, int manner);
