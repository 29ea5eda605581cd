#define _GNU_SOURCE
#include "CSignalbox/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// The lock files that this process holds open. A forked child closes its copies.

struct kept_file {
  int descriptor;
  struct kept_file *next;
};

static pthread_mutex_t kept_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kept_file *kept_files;
/// `forks`: how many forks this process and its ancestors have begun. `generation`: how many forks
/// separate this process from the first ancestor.
static unsigned forks, generation;

void csb_lock_files_before_fork(void) {
  pthread_mutex_lock(&kept_mutex);
  forks++;
}

void csb_lock_files_after_fork(int is_child) {
  if (is_child) generation++;
  while (is_child && kept_files) {
    struct kept_file *file = kept_files;
    kept_files = file->next;
    close(file->descriptor);
    free(file);
  }
  pthread_mutex_unlock(&kept_mutex);
}

static unsigned look_up(const unsigned *count) {
  pthread_mutex_lock(&kept_mutex);
  unsigned found = *count;
  pthread_mutex_unlock(&kept_mutex);
  return found;
}

int csb_lock_file_is_inherited(const struct csb_lock_file *file) {
  return file->generation != look_up(&generation);
}

/// Adds a file to the list. Returns EAGAIN if the process has forked since
/// `forks_before` was read, so that the child may have the file too.
static int keep(int descriptor, unsigned forks_before) {
  struct kept_file *file = malloc(sizeof *file);
  if (!file) return ENOMEM;
  pthread_mutex_lock(&kept_mutex);
  int is_alone = forks == forks_before;
  if (is_alone) {
    *file = (struct kept_file){.descriptor = descriptor, .next = kept_files};
    kept_files = file;
  }
  pthread_mutex_unlock(&kept_mutex);
  if (!is_alone) free(file);
  return is_alone ? 0 : EAGAIN;
}

/// Closes a kept file. A file that is not in the list was closed in a forked
/// child.
static void let_go(int descriptor) {
  pthread_mutex_lock(&kept_mutex);
  struct kept_file **entry = &kept_files;
  while (*entry && (*entry)->descriptor != descriptor) entry = &(*entry)->next;
  struct kept_file *file = *entry;
  if (file) {
    *entry = file->next;
    close(descriptor);
  }
  pthread_mutex_unlock(&kept_mutex);
  free(file);
}

/// Opens a file and adds it to the list. Returns the descriptor, or -errno.
static int open_kept(const char *path, int flags, mode_t mode) {
  for (;;) {
    unsigned before = look_up(&forks);
    int descriptor = open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
    if (descriptor < 0 && errno == EINTR) continue;
    if (descriptor < 0) return -errno;
    int error = keep(descriptor, before);
    if (error == 0) return descriptor;
    if (flags & O_EXCL) unlink(path);
    close(descriptor);
    if (error != EAGAIN) return -error;
  }
}

// Taking

static struct flock whole_file(void) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

static int write_all(int descriptor, const char *text, size_t size) {
  while (size > 0) {
    ssize_t count = write(descriptor, text, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text += count;
    size -= (size_t)count;
  }
  return 0;
}

/// Writes and marks a new file.
static int complete(int descriptor, const char *text, size_t size) {
  struct flock mark = whole_file();
  int is_marked = fcntl(descriptor, F_OFD_SETLK, &mark) == 0;
  const char *life = is_marked ? "life=kernel\n" : "life=process\n";
  // Every user may read which process holds the file, whatever the process's
  // umask is.
  if (fchmod(descriptor, 0644) != 0 && errno != EPERM && errno != EOPNOTSUPP)
    return errno;
  int error = write_all(descriptor, text, size);
  return error ? error : write_all(descriptor, life, strlen(life));
}

/// The directory part of a path, as a prefix for names in it. The caller frees
/// it.
static char *directory_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

/// Creates the file without a name, and names the file when it is complete. Returns -1 if the
/// system doesn't support that.
static int take_unnamed(const char *path, const char *text, size_t size,
                        struct csb_lock_file *file) {
  char *directory = directory_of(path);
  if (!directory) return ENOMEM;
  int descriptor = open_kept(directory, O_TMPFILE | O_RDWR, 0644);
  free(directory);
  switch (-descriptor) {
  // The file system or the kernel does not support unnamed files.
  case EOPNOTSUPP: case EISDIR: case EINVAL: case ENOENT: return -1;
  }
  if (descriptor < 0) return -descriptor;
  int error = complete(descriptor, text, size);
  if (!error) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
    if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0)
      // There is no procfs, or a file cannot be named this way.
      error = errno == EEXIST ? EEXIST : -1;
  }
  if (error) let_go(descriptor);
  else file->descriptor = descriptor;
  return error;
}

/// Creates the file under a unique temporary name. A process that is killed
/// here leaves that file behind; it is not a lock.
static int take_named(const char *path, const char *text, size_t size,
                      struct csb_lock_file *file) {
  char *directory = directory_of(path), *name = NULL;
  uint64_t random;
  if (!directory || getrandom(&random, sizeof random, 0) != sizeof random ||
      asprintf(&name, "%s.signalbox-%016llx", directory, (unsigned long long)random) < 0) {
    free(directory);
    return ENOMEM;
  }
  free(directory);
  int descriptor = open_kept(name, O_CREAT | O_EXCL | O_RDWR, 0644);
  int error = descriptor < 0 ? -descriptor : complete(descriptor, text, size);
  if (!error && link(name, path) != 0) error = errno;
  if (descriptor >= 0) unlink(name);
  free(name);
  if (error && descriptor >= 0) let_go(descriptor);
  if (!error) file->descriptor = descriptor;
  return error;
}

int csb_lock_file_take(const char *path, const char *text, size_t size, int is_named,
                       struct csb_lock_file *file) {
  // Most calls while the lock is held end here, without creating a file.
  struct stat there;
  if (lstat(path, &there) == 0) return EEXIST;
  file->generation = look_up(&generation);
  int error = is_named ? -1 : take_unnamed(path, text, size, file);
  return error == -1 ? take_named(path, text, size, file) : error;
}

// Removing

static int may_be_remote(int descriptor) {
  struct statfs system;
  if (fstatfs(descriptor, &system) != 0) return 1;
  switch ((unsigned long)system.f_type) {
  case 0x6969: case 0x517B: case 0xFE534D42: case 0xFF534D42: case 0x01021997:
  case 0x65735546: case 0x00C36400: case 0x5346414F: case 0x6B414653: case 0x7461636F:
  case 0x01161970: case 0x0BD00BD0:
    // NFS, SMB (three kinds), 9P, FUSE, Ceph, AFS (two kinds), OCFS2, GFS2, Lustre.
    return 1;
  }
  return 0;
}

static int is_same(const struct stat *one, const struct stat *other) {
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/// Whether the file is marked; -1 if unknown.
static int is_marked(int descriptor) {
  struct flock mark = whole_file();
  if (fcntl(descriptor, F_OFD_GETLK, &mark) != 0) return -1;
  return mark.l_type != F_UNLCK;
}

/// Most holders are done after a few system calls. One that lost its processor needs milliseconds.
enum { YIELDS = 100, NAPS = 1000, NAP_NANOSECONDS = 1000000 };

/// Returns 0; EAGAIN if other processes keep the lock, for a second on a local
/// file system; or the errno of the failure.
static int lock_open(int descriptor, int is_remote) {
  // Other processes hold it for a few system calls. If one of them loses its
  // processor in between, it usually has it back within a second. After that, it
  // counts as stopped.
  for (int tries = 0;; tries++) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK) return errno;
    if (is_remote || tries == YIELDS + NAPS) return EAGAIN;
    if (tries < YIELDS) {
      sched_yield();
    } else {
      struct timespec left = {.tv_nsec = NAP_NANOSECONDS};
      while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
    }
  }
}

/// Removes the name of the open file, if the name still leads to it.
static int remove_open(const char *path, int descriptor, const struct csb_lock_look *seen) {
  int is_remote = may_be_remote(descriptor);
  int error = lock_open(descriptor, is_remote);
  int is_locked = error == 0;
  // On a network file system, flock may be the same lock as the mark, so it is
  // unavailable while the mark is held. If flock is not supported at all, no
  // process holds it.
  if (error == EAGAIN && !is_remote) return EAGAIN;
  error = 0;
  struct stat open_one, named_one;
  if (fstat(descriptor, &open_one) != 0 || lstat(path, &named_one) != 0)
    error = errno;
  else if (!is_same(&open_one, &named_one))
    error = ESTALE;
  else if (seen && (seen->device != open_one.st_dev || seen->inode != open_one.st_ino ||
                    is_marked(descriptor) != 0))
    error = ESTALE;
  else if (unlink(path) != 0)
    error = errno;
  if (is_locked) flock(descriptor, LOCK_UN);
  return error;
}

int csb_lock_file_leave(const char *path, struct csb_lock_file *file) {
  int error = remove_open(path, file->descriptor, NULL);
  if (error == 0 || error == ENOENT || error == ESTALE) let_go(file->descriptor);
  return error;
}

int csb_lock_file_break(const char *path, const struct csb_lock_look *seen) {
  int descriptor = open_kept(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
  if (descriptor < 0) return -descriptor;
  int error = remove_open(path, descriptor, seen);
  let_go(descriptor);
  return error;
}

// Looking

int csb_lock_file_look(const char *path, char *text, size_t capacity,
                       struct csb_lock_look *look) {
  int descriptor = open_kept(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
  if (descriptor < 0) return -descriptor;
  struct stat file;
  int error = fstat(descriptor, &file) == 0 ? 0 : errno;
  ssize_t size = error ? 0 : read(descriptor, text, capacity);
  *look = (struct csb_lock_look){
      .device = file.st_dev,
      .inode = file.st_ino,
      .size = size > 0 ? (size_t)size : 0,
      .is_marked = is_marked(descriptor),
      .may_be_remote = may_be_remote(descriptor),
  };
  let_go(descriptor);
  return error;
}

int csb_lock_file_date(const char *path, int64_t *seconds, int64_t *nanoseconds) {
  struct stat file;
  if (lstat(path, &file) != 0) return errno;
  *seconds = file.st_mtim.tv_sec;
  *nanoseconds = file.st_mtim.tv_nsec;
  return 0;
}

int csb_file_link(const char *path, char *text, size_t capacity) {
  ssize_t size = readlink(path, text, capacity - 1);
  if (size < 0) return errno;
  text[size] = 0;
  return 0;
}

int csb_file_directory(char *text, size_t capacity) {
  return getcwd(text, capacity) ? 0 : errno;
}
