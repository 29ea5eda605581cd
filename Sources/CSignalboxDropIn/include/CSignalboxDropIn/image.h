// image.h — the memory of the files that the dynamic linker has loaded.
#pragma once

/// Whether the program may write at this address of a loaded file.
int csd_is_writable(const void *_Nonnull address);
