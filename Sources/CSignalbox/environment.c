#define _GNU_SOURCE
#include "CSignalbox/environment.h"

#include "CSignalbox/copies.h"

const char *csb_environment(const char *name) {
  return csb_copy_is_idle() ? NULL : secure_getenv(name);
}
