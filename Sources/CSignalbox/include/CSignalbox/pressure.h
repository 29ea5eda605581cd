// pressure.h — the kernel's memory-pressure files.
#pragma once

#include <stdint.h>

/// Opens a pressure file and writes a trigger to it. The descriptor then
/// signals the pressure as priority data. Returns it, close-on-exec, or -errno.
int csb_pressure_open(const char *_Nonnull path, const char *_Nonnull trigger);

/// Opens a file for reading. Returns the descriptor, close-on-exec, or -errno.
int csb_file_open(const char *_Nonnull path);

/// Reads from the file's beginning. Returns how many bytes, or -errno.
long csb_file_read_again(int descriptor, void *_Nonnull bytes, long capacity);
