#include "CSignalbox/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

long csb_file_read(const char *path, void *bytes, size_t capacity) {
  int file;
  do {
    file = open(path, O_RDONLY | O_CLOEXEC);
  } while (file < 0 && errno == EINTR);
  if (file < 0) return -errno;
  size_t size = 0;
  long result = 0;
  while (size < capacity) {
    ssize_t count = read(file, (char *)bytes + size, capacity - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) result = -errno;
    if (count <= 0) break;
    size += (size_t)count;
  }
  close(file);
  return result < 0 ? result : (long)size;
}
