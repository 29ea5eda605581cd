// CTransfers: one file from an address, by libcurl.
//
// `curl_easy_setopt` takes variable arguments, which Swift cannot pass.

#ifndef CTRANSFERS_H
#define CTRANSFERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ctransfers_limits {
  // The longest time to connect, and the longest time without a byte.
  long silence_seconds;
  // The longest time for the whole transfer.
  long whole_seconds;
  int64_t bytes;
} ctransfers_limits;

// Writes what `address` (http, https or file) holds to `file`. Blocks until it
// is there. Returns 0, or -1 with the reason; `file` then holds a part.
int ctransfers_fetch(
    const char *address, FILE *file, ctransfers_limits limits, char *reason, size_t reason_size);

#endif
