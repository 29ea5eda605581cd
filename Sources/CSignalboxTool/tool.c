#define _GNU_SOURCE
#include "csignalboxtool.h"

#include <stdlib.h>
#include <sys/xattr.h>

const char *csb_tool_environment(const char *name) { return secure_getenv(name); }

int csb_tool_has_capabilities(const char *path) {
  return getxattr(path, "security.capability", 0, 0) > 0;
}
