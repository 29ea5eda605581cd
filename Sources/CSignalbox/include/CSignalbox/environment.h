// environment.h — the process's environment.
#pragma once

#include <stdlib.h>

/// The variable's value, or null.
static inline const char *_Nullable csb_environment(const char *_Nonnull name) {
  return getenv(name);
}
