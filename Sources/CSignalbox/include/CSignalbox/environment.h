// environment.h — the process's environment, and its end.
#pragma once

#include <stdlib.h>

/// The variable's value, or null.
static inline const char *_Nullable csb_environment(const char *_Nonnull name) {
  return getenv(name);
}

/// Ends the process in good order, with the handlers of `atexit`.
static inline void csb_process_exit(int status) __attribute__((noreturn));
static inline void csb_process_exit(int status) { exit(status); }
