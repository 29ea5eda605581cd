// files.h — reads small files completely.
#pragma once

#include <stddef.h>

/// Reads at most `capacity` bytes from the file's beginning. Returns how many,
/// or -errno. The file is opened close-on-exec and closed again.
long csb_file_read(const char *_Nonnull path, void *_Nonnull bytes,
                   size_t capacity);
