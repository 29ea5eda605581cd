// CSamples: the bundled photos, taken into the program as bytes.

#ifndef CSAMPLES_H
#define CSAMPLES_H

#include <stddef.h>

typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t size;
} csamples_photo;

// The photo with that number, from 0 on. NULL if there is none.
const csamples_photo *csamples_photo_at(size_t number);

#endif
