// io.h — one transfer between a descriptor and memory that does not wait for the other side.
//
// The flag O_NONBLOCK belongs to the open file, which other processes may share, a shell's
// terminal with all that it starts. So it is not touched: each call says for itself that it must
// not wait, in the way that its kind of descriptor knows.
//
// disk         files and block devices: the disk is waited for.
// socket       recv and send with MSG_DONTWAIT.
// nonblocking  whoever opened it wants it so: O_NONBLOCK is set.
// pipe, other  preadv2 and pwritev2 with RWF_NOWAIT, where the kernel has that for them.
//              Otherwise poll(2) is asked first, with no time to wait. Then
//              - a read of what is readable takes what there is and returns;
//              - a write to a pipe of at most PIPE_BUF bytes returns: a pipe is called writable
//                when one of its slots is free, a slot holds a page, and a page is at least
//                PIPE_BUF (fs/pipe.c: pipe_poll, pipe_write; pipe(7));
//              - a write to a terminal of at most so many bytes as may stand in its buffer
//                while it is called writable returns, unless the terminal is halted then.
//              Between the question and the call another process that uses the same pipe may
//              take what was there: then the call waits, and with it a worker, which the pool
//              replaces.
//
// Rejected     opening the descriptor a second time through /proc/self/fd, for an open file of
//              one's own: it opens another terminal for a pseudo-terminal's master, needs rights
//              on the file that the process may no longer have, and in a forked child keeps the
//              writing end of a pipe open that the child believes to have closed.
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
  /// As the two above, by poll(2) alone: as on a kernel that has nothing better.
  CSB_IO_POLLED_PIPE = 5,
  CSB_IO_POLLED_OTHER = 6,
};

/// What is to be known of a descriptor before it is used.
struct csb_io_facts {
  /// One of the manners above.
  int manner;
  /// Where its next byte is read or written; -1 if it has no place.
  int64_t position;
  /// Why it has none.
  int position_error;
  /// Whether it is a pipe, with a name or without.
  int is_pipe;
  /// Which file it is, among all.
  uint64_t device;
  uint64_t file;
};

/// Looks at `descriptor`. Returns 0 or an errno: EBADF, and EISDIR for a directory.
int csb_io_look(int descriptor, struct csb_io_facts *_Nonnull facts);

/// Whether the number stands for anything.
int csb_io_is_open(int descriptor);

/// Looks at what open(2) would find at `path`. Returns 0 or an errno. What is not there
/// and would be made is no error if there is a folder for it.
int csb_io_look_at_path(const char *_Nonnull path, int flags, int needs_place);

/// Opens `path`, close-on-exec. Anything but a file does not wait for its other side, nor will
/// the descriptor: it is nobody else's. Returns the descriptor or -errno.
int csb_io_open(const char *_Nonnull path, int flags, unsigned mode);

void csb_io_close(int descriptor);

/// Reads at most `size` bytes, at `offset`, or at the descriptor's own place if that is negative.
/// Returns how many, 0 at the end, or -errno; -EAGAIN if it would have to wait.
long csb_io_read(int descriptor, void *_Nonnull bytes, size_t size, int64_t offset, int manner);

/// Bytes that lie together: laid out as the system's iovec.
struct csb_io_part {
  const void *_Nullable bytes;
  size_t size;
};

/// Writes from `count` parts, as `csb_io_read` reads. No SIGPIPE comes of it: EPIPE is returned.
long csb_io_write(int descriptor, const struct csb_io_part *_Nonnull parts, int count,
                  int64_t offset, int manner);
