#include "CSignalbox/trap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

void csb_complain(const char *text) {
  struct iovec parts[2] = {
      {.iov_base = (void *)text, .iov_len = strlen(text)},
      {.iov_base = (void *)"\n", .iov_len = 1},
  };
  // A process that is about to end has no use for the result.
  ssize_t written = writev(STDERR_FILENO, parts, 2);
  (void)written;
}

void csb_trap(const char *text) {
  csb_complain(text);
  abort();
}
