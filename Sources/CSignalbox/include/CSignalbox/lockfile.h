// lockfile.h — a file that is a lock between processes: it is held as long as the file
// exists, and marked as long as its maker lives.
//
// The mark is a lock of the kernel's on the open file (fcntl(2): F_OFD_SETLK), which ends
// with the process, however it ends: it survives the re-use of process numbers, and is
// seen from other containers that share the file. The file appears under its name whole,
// written and marked. Whoever removes one holds flock(2) on it, and looks under it whether
// the name still leads to the file: so nobody removes another file than the one meant.
//
// Touching    files that are open for longer than a call, or locked: the list of kept
//             files, under its mutex. A forked child closes all of them, so that it does
//             not keep its parent's locks alive.
// Rejected    fcntl's F_SETLK for the mark: a process loses it as soon as anything in it
//             closes the file. flock for the mark: it cannot be looked at without being
//             taken. The process's number alone: it is given to others, and is another
//             one in each container. Creating the file in place, and marking it then:
//             in between it looks like a dead process's.
// Sources     open(2): O_TMPFILE; linkat(2); fcntl(2): open file description locks.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A lock file that this process has made and holds.
struct csb_lock_file {
  int descriptor;
  /// How many forks lay behind it.
  unsigned generation;
};

/// Whether the process that holds the file is this one's parent, or further up.
int csb_lock_file_is_inherited(const struct csb_lock_file *_Nonnull file);

/// Makes the file `path` with `text` in it, to which it adds how its maker's life can be
/// seen: "life=kernel" or "life=process". Returns 0; EEXIST if there is something of that
/// name; or what else was the matter. `is_named`: not by a file without a name, as on
/// file systems that have none.
int csb_lock_file_take(const char *_Nonnull path, const char *_Nonnull text, size_t size,
                       int is_named, struct csb_lock_file *_Nonnull file);

/// Removes the file that this process holds. Returns 0; ENOENT or ESTALE if another
/// process has removed it: in these cases it is closed. Otherwise it is held as before:
/// EAGAIN if another process was stopped while it looked at it, or errno.
int csb_lock_file_leave(const char *_Nonnull path, struct csb_lock_file *_Nonnull file);

/// What a lock file says about itself.
struct csb_lock_look {
  uint64_t device, inode;
  /// How much of the text there is.
  size_t size;
  /// Whether the kernel says that its maker lives; -1 if it does not say.
  int is_marked;
  /// Whether other machines may have it too, on whose marks nothing is known.
  int may_be_remote;
};

/// Reads a lock file. Returns 0 or errno.
int csb_lock_file_look(const char *_Nonnull path, char *_Nonnull text, size_t capacity,
                       struct csb_lock_look *_Nonnull look);

/// When the file was last written. Returns 0 or errno.
int csb_lock_file_date(const char *_Nonnull path, int64_t *_Nonnull seconds,
                       int64_t *_Nonnull nanoseconds);

/// Removes a lock file, whoever holds it; with `seen`, only that one and if it is not
/// marked. Returns 0; ENOENT, ESTALE if it is not as it was seen, EAGAIN if another process
/// was stopped while it looked at it, or what else was the matter.
int csb_lock_file_break(const char *_Nonnull path, const struct csb_lock_look *_Nullable seen);

/// Around a fork.
void csb_lock_files_before_fork(void);
void csb_lock_files_after_fork(int is_child);

/// Reads where a symbolic link leads to, as a string. Returns 0 or errno.
int csb_file_link(const char *_Nonnull path, char *_Nonnull text, size_t capacity);

/// Writes the working directory. Returns 0 or errno.
int csb_file_directory(char *_Nonnull text, size_t capacity);
