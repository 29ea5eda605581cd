// faults.c — a page of a file whose contents this process is asked for, and never gives.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CSystemCalls.h"

int csc_unanswered_page(void) {
  size_t size = (size_t)getpagesize();
  int file = memfd_create("unanswered", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)size) < 0) return errno;
  void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) return errno;
  // Neither descriptor is closed: the page waits as long as the process lives.
  int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  if (faults < 0) return errno;
  struct uffdio_api api = {.api = UFFD_API};
  if (ioctl(faults, UFFDIO_API, &api) < 0) return errno;
  struct uffdio_register all = {
      .range = {.start = (unsigned long)page, .len = size}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  return ioctl(faults, UFFDIO_REGISTER, &all) < 0 ? errno : 0;
}
