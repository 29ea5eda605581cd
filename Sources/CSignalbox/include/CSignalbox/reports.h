// reports.h — writes a report, and reads the environment variable that asks for
// one.
#pragma once

#include <stddef.h>

/// Appends the bytes to the file at `path`, which is created if it doesn't
/// exist; null for standard error. Raises no SIGPIPE, and waits at most a
/// second for a reader that doesn't read. Returns 0 or an errno.
int csb_report_write(const char *_Nullable path, const void *_Nonnull bytes, size_t size);
