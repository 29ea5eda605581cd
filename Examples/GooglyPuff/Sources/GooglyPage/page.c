// Written by Scripts/list-page out of the names in Page.
#include "GooglyPage.h"

#include <string.h>

// The preprocessor takes the files in, by a directive of C23 that the compiler knows in every C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Page/index.html"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  size_t size;
} files[] = {
    {"index.html", index_html, sizeof index_html},
};

const unsigned char *googly_page_file(const char *name, size_t *size) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (strcmp(files[i].name, name) == 0) {
      *size = files[i].size;
      return files[i].bytes;
    }
  }
  return NULL;
}

const char *googly_page_name(size_t index) {
  return index < sizeof files / sizeof *files ? files[index].name : NULL;
}
