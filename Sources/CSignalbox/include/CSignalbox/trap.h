// trap.h — the end of a process that cannot go on.
#pragma once

#include <stddef.h>

/// Writes `text` and a line end to standard error and aborts.
void csb_trap(const char *_Nonnull text) __attribute__((noreturn));

/// Writes `text` and a line end to standard error.
void csb_complain(const char *_Nonnull text);

/// The same in a crash, if somebody takes it: a pipe that is full must not make the process wait,
/// and one that nobody reads must not end it by another signal.
void csb_complain_if_taken(const char *_Nonnull text);

/// Writes what `error` means, in the language of the C library, to `text`.
void csb_error_text(int error, char *_Nonnull text, size_t size);
