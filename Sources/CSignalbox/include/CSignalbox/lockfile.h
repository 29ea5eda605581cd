// lockfile.h — a file that is a lock between processes: the lock is held as long
// as the file exists, and the file is marked as long as its maker lives.
//
// The mark is a kernel lock on the open file (fcntl(2): F_OFD_SETLK), which ends
// with the process, however the process ends. The mark is unaffected by the reuse
// of process IDs and visible in other containers that share the file. The file
// appears under its name complete, written and marked. A process that removes a
// file holds flock(2) on it, and checks under that lock that the name still leads
// to the file. So it never removes a file other than the one that it
// inspected.
//
// Touching    files that are open for longer than a call, or locked: the list of
//             kept files, under its mutex. A forked child closes all of them, so
//             that it does not keep its parent's locks alive.
// Rejected    F_SETLK for the mark: a process loses it as soon as any of its code
//             closes the file. flock for the mark: a process can test it only by
//             taking it. The process ID alone: it is reused, and differs in each
//             container. Creating the file in place and then marking it: until it
//             is marked, it looks like a dead process's file.
// Sources     open(2): O_TMPFILE; linkat(2); fcntl(2): open file description locks.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A lock file that this process has created and holds.
struct csb_lock_file {
  int descriptor;
  /// The process's fork count when the file was created.
  unsigned generation;
};

/// Whether this process's parent or another ancestor holds the file.
int csb_lock_file_is_inherited(const struct csb_lock_file *_Nonnull file);

/// Creates the file `path` with `text` in it, and appends the way to check
/// whether its maker lives: "life=kernel" or "life=process". Returns 0; EEXIST
/// if a file of that name exists; or another errno. `is_named`: create the file
/// under a temporary name rather than without a name, as on file systems that
/// lack unnamed files.
int csb_lock_file_take(const char *_Nonnull path, const char *_Nonnull text, size_t size,
                       int is_named, struct csb_lock_file *_Nonnull file);

/// Removes the file that this process holds. Returns 0, or ENOENT or ESTALE if
/// another process has removed it; the file is then closed. On any other error,
/// it is still held: EAGAIN if another process was stopped while it inspected
/// the file, which this call finds out after a second, or another errno.
int csb_lock_file_leave(const char *_Nonnull path, struct csb_lock_file *_Nonnull file);

/// The contents and status of a lock file.
struct csb_lock_look {
  uint64_t device, inode;
  /// The length of the text.
  size_t size;
  /// Whether the kernel says that the file's maker lives; -1 if it doesn't say.
  int is_marked;
  /// Whether other machines may share the file. Their marks are not visible
  /// here.
  int may_be_remote;
};

/// Reads a lock file. Returns 0 or an errno.
int csb_lock_file_look(const char *_Nonnull path, char *_Nonnull text, size_t capacity,
                       struct csb_lock_look *_Nonnull look);

/// Reads when the file was last written. Returns 0 or an errno.
int csb_lock_file_date(const char *_Nonnull path, int64_t *_Nonnull seconds,
                       int64_t *_Nonnull nanoseconds);

/// Removes a lock file, even if another process holds it; with `seen`, only
/// that file and only if it is not marked. Returns 0; ENOENT; ESTALE if the
/// file has changed since it was seen; EAGAIN, after a second, if another process
/// was stopped while it inspected the file; or another errno.
int csb_lock_file_break(const char *_Nonnull path, const struct csb_lock_look *_Nullable seen);

/// Call before and after a fork.
void csb_lock_files_before_fork(void);
void csb_lock_files_after_fork(int is_child);

/// Reads the target of a symbolic link, as a string. Returns 0 or an errno.
int csb_file_link(const char *_Nonnull path, char *_Nonnull text, size_t capacity);

/// Writes the path of the working directory. Returns 0 or an errno.
int csb_file_directory(char *_Nonnull text, size_t capacity);
