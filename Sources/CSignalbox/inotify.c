#define _GNU_SOURCE
#include "CSignalbox/inotify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// From linux/magic.h, which some C libraries do not install.
#define PIPE_FILES 0x50495045
#define SOCKET_FILES 0x534F434B
#define ANONYMOUS_FILES 0x09041934

int csb_inotify_create(void) {
  int inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  return inotify < 0 ? -errno : inotify;
}

int csb_inotify_add(int inotify, int descriptor, int around, uint32_t bits) {
  // The link in /proc leads to the file itself, even if the file has no name
  // any more.
  char path[48];
  snprintf(path, sizeof path, "/proc/self/fd/%d%s", descriptor, around ? "/.." : "");
  int watch = inotify_add_watch(inotify, path, bits);
  return watch < 0 ? -errno : watch;
}

int csb_inotify_remove(int inotify, int watch) {
  return inotify_rm_watch(inotify, watch) == 0 ? 0 : errno;
}

long csb_inotify_read(int inotify, struct csb_file_event *events, int capacity) {
  // The shortest event has 16 bytes, so no more events fit into this buffer
  // than into `events`.
  char bytes[16 * CSB_FILE_EVENTS] __attribute__((aligned(8)));
  if (capacity < CSB_FILE_EVENTS) return -EINVAL;
  ssize_t size;
  do {
    size = read(inotify, bytes, sizeof bytes);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return errno == EAGAIN ? 0 : -errno;
  long count = 0;
  for (ssize_t offset = 0; offset + (ssize_t)sizeof(struct inotify_event) <= size;) {
    struct inotify_event event;
    memcpy(&event, bytes + offset, sizeof event);
    events[count++] = (struct csb_file_event){
        .watch = event.wd, .bits = event.mask, .named = event.len != 0};
    offset += (ssize_t)(sizeof event + event.len);
  }
  return count;
}

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int is_nameless(int descriptor, mode_t mode) {
  // A file of any other kind has or had a name.
  if (!S_ISFIFO(mode) && !S_ISSOCK(mode) && (mode & S_IFMT) != 0) return 0;
  struct statfs files;
  if (fstatfs(descriptor, &files) != 0) return 0;
  return files.f_type == PIPE_FILES || files.f_type == SOCKET_FILES ||
         files.f_type == ANONYMOUS_FILES;
}

int csb_file_status_read(int descriptor, struct csb_file_status *status) {
  struct stat file;
  if (fstat(descriptor, &file) != 0) return errno;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  *status = (struct csb_file_status){
      .device = file.st_dev,
      .inode = file.st_ino,
      .links = file.st_nlink,
      .size = file.st_size,
      .modified = nanoseconds(file.st_mtim),
      .changed = nanoseconds(file.st_ctim),
      .taken = nanoseconds(now),
      .mode = file.st_mode,
      .user = file.st_uid,
      .group = file.st_gid,
      .nameless = is_nameless(descriptor, file.st_mode),
  };
  return 0;
}

long csb_descriptor_path(int descriptor, char *path, long capacity) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, (size_t)capacity);
  if (length < 0) return -errno;
  // A path that fills the buffer may be truncated.
  return length == capacity ? -ENAMETOOLONG : length;
}
