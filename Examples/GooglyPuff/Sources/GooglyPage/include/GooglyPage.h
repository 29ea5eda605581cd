// GooglyPage: the files of the page, taken into the program as bytes.

#ifndef GOOGLYPAGE_H
#define GOOGLYPAGE_H

#include <stddef.h>

// The file's bytes, which are never freed; NULL if there is none of that name.
const unsigned char *googly_page_file(const char *name, size_t *size);

#endif
