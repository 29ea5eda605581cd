#define _GNU_SOURCE
#include "one_processor.h"

#include <errno.h>
#include <sched.h>

int keep_to_one_processor(void) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno;
  CPU_ZERO(&one);
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    CPU_SET(processor, &one);
    break;
  }
  return sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : errno;
}
