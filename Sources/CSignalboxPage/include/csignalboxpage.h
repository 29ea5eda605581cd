// csignalboxpage.h — the files of the timeline page, embedded in the program.
#pragma once

#include <stddef.h>

/// Returns the bytes of the page's file with this name and stores their count
/// in `size`. The bytes are never freed. Returns NULL if there is no such file.
const unsigned char *_Nullable csp_page_file(const char *_Nonnull name, size_t *_Nonnull size);
