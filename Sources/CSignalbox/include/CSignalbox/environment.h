// environment.h — the process's environment, and its end.
#pragma once

#include <stdlib.h>

/// The variable's value, or null. Null as well in a program that runs with more rights than whoever
/// started it: that one could have any file overwritten otherwise.
const char *_Nullable csb_environment(const char *_Nonnull name);

/// Ends the process in good order, with the handlers of `atexit`.
static inline void csb_process_exit(int status) __attribute__((noreturn));
static inline void csb_process_exit(int status) { exit(status); }
