// trap.h — messages, and the end of a process that cannot continue.
#pragma once

#include <stddef.h>

/// Writes `text` and a line end to standard error and aborts.
void csb_trap(const char *_Nonnull text) __attribute__((noreturn));

/// Writes `text` and a line end to standard error.
void csb_warn(const char *_Nonnull text);

/// Writes like `csb_warn` in a crash, but only if standard error takes it
/// at once: a full pipe must not block the process, and a pipe without a reader
/// must not end it with another signal.
void csb_warn_if_taken(const char *_Nonnull text);

/// Writes the C library's message for `error` to `text`.
void csb_error_text(int error, char *_Nonnull text, size_t size);
