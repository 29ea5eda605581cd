// reports.h — how a report leaves the process, and who asks for one by the environment.
#pragma once

#include <stddef.h>

/// Writes the bytes to the end of the file at `path`, which is made if there is none; null for
/// standard error. No SIGPIPE comes of it, and a reader that does not read is waited for a
/// second at most. Returns 0 or an errno.
int csb_report_write(const char *_Nullable path, const void *_Nonnull bytes, size_t size);
