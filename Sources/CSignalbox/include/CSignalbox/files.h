// files.h — small files, read whole.
#pragma once

#include <stddef.h>

/// Reads at most `capacity` bytes from the file's beginning. Returns how many,
/// or -errno. The descriptor is close-on-exec and closed again.
long csb_file_read(const char *_Nonnull path, void *_Nonnull bytes,
                   size_t capacity);
