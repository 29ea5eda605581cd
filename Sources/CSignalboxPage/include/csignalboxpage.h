// csignalboxpage.h — the files of the timeline's page, as parts of the program.
#pragma once

#include <stddef.h>

/// The bytes of the page's file with this name, which are never freed, and how many they are;
/// NULL if it has no such file.
const unsigned char *_Nullable csp_page_file(const char *_Nonnull name, size_t *_Nonnull size);
