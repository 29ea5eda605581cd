// trap.h — the end of a process that cannot go on.
#pragma once

/// Writes `text` and a line end to standard error and aborts.
void csb_trap(const char *_Nonnull text) __attribute__((noreturn));

/// Writes `text` and a line end to standard error.
void csb_complain(const char *_Nonnull text);
