// environment.h — the process's environment variables and exit.
#pragma once

#include <stdlib.h>

/// Returns the variable's value, or null. Null also in a program that runs with
/// more rights than its caller: otherwise the caller could make the program
/// overwrite any file. Null also in a copy of this library that is not in use,
/// so that the copy starts nothing.
const char *_Nullable csb_environment(const char *_Nonnull name);

/// Exits the process normally, with the handlers of `atexit`.
static inline void csb_process_exit(int status) __attribute__((noreturn));
static inline void csb_process_exit(int status) { exit(status); }
