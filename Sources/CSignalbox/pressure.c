#define _GNU_SOURCE
#include "CSignalbox/pressure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int open_again(const char *path, int flags) {
  int file;
  do {
    file = open(path, flags | O_CLOEXEC | O_NOCTTY);
  } while (file < 0 && errno == EINTR);
  return file < 0 ? -errno : file;
}

int csb_pressure_open(const char *path, const char *trigger) {
  int file = open_again(path, O_RDWR | O_NONBLOCK);
  if (file < 0) return file;
  // Write the terminating zero too, as the kernel's own example does.
  size_t size = strlen(trigger) + 1;
  ssize_t written;
  do {
    written = write(file, trigger, size);
  } while (written < 0 && errno == EINTR);
  if (written == (ssize_t)size) return file;
  int error = written < 0 ? errno : EIO;
  close(file);
  return -error;
}

int csb_file_open(const char *path) { return open_again(path, O_RDONLY); }

long csb_file_read_again(int descriptor, void *bytes, long capacity) {
  ssize_t size;
  do {
    size = pread(descriptor, bytes, (size_t)capacity, 0);
  } while (size < 0 && errno == EINTR);
  return size < 0 ? -errno : size;
}
