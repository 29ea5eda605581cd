#define _GNU_SOURCE
#include "CSignalbox/look.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

void csb_look_at_name(int32_t kernel_id, char *name) {
  memset(name, 0, 16);
  char path[48];
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)kernel_id);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t count = read(file, name, 15);
  close(file);
  if (count < 0) count = 0;
  name[count] = 0;
  name[strcspn(name, "\n")] = 0;
}

int csb_look_at_memory(const void *address, void *copy, size_t size) {
  struct iovec to = {.iov_base = copy, .iov_len = size};
  struct iovec from = {.iov_base = (void *)address, .iov_len = size};
  ssize_t count = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  if (count < 0) return errno;
  return (size_t)count == size ? 0 : EFAULT;
}

long csb_look_at_threads(int32_t *kernel_ids, size_t capacity) {
  // opendir opens the directory close-on-exec.
  DIR *folder = opendir("/proc/self/task");
  if (!folder) return -errno;
  long count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    int32_t id = (int32_t)atoi(entry->d_name);
    if (id == 0) continue;
    if ((size_t)count < capacity) kernel_ids[count] = id;
    count++;
  }
  closedir(folder);
  return count;
}
