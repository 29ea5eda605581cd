#define _GNU_SOURCE
#include "CSignalbox/environment.h"

const char *csb_environment(const char *name) { return secure_getenv(name); }
