// CTransfers: files from addresses, by libcurl, without waiting.
//
// `curl_easy_setopt` takes variable arguments, which Swift cannot pass. Nothing
// here waits for the far side: a set of transfers is turned, like a crank, until
// all have ended. One thread at a time may use a set.

#ifndef CTRANSFERS_H
#define CTRANSFERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ctransfers_set ctransfers_set;

typedef struct ctransfers_limits {
  // The longest time to connect, and the longest time without a byte.
  long silence_seconds;
  // The longest time for the whole transfer.
  long whole_seconds;
  int64_t bytes;
} ctransfers_limits;

// Returns NULL if libcurl cannot be started.
ctransfers_set *ctransfers_make(void);

// Ends what has not ended.
void ctransfers_free(ctransfers_set *set);

// Begins to write what `address` (http, https or file) holds to `file`, under a
// number of the caller's. Returns 0, or -1 with the reason.
int ctransfers_begin(
    ctransfers_set *set, int64_t number, const char *address, FILE *file,
    ctransfers_limits limits, char *reason, size_t reason_size);

// Does what can be done without waiting; returns how many bytes came.
int64_t ctransfers_turn(ctransfers_set *set);

// Tells how many bytes of a transfer came until now and how many there will be, -1 if the
// far side has not said so.
void ctransfers_progress(
    const ctransfers_set *set, int64_t number, int64_t *received, int64_t *expected);

// Takes a transfer that has ended out of the set. Returns 0 if there is none; else
// 1 with its number and, if it failed, the reason, which is else empty.
int ctransfers_take_ended(
    ctransfers_set *set, int64_t *number, char *reason, size_t reason_size);

#endif
