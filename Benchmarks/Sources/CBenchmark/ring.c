// A ring with one writer and one reader, through which memory passes from the thread that allocates
// it to one that frees it.
#include "cbenchmark.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { slots = 1024 };

struct ring {
  /// The number of slots written, and of those read. Each side remembers what it has seen last of the
  /// other's, and looks again only if that is not enough.
  _Alignas(128) atomic_uint_fast64_t written;
  uint64_t read_seen;
  _Alignas(128) atomic_uint_fast64_t read;
  uint64_t written_seen;
  _Alignas(128) void *pieces[slots];
};

static struct ring ring;

static void *free_all(void *unused) {
  (void)unused;
  for (uint64_t number = 0;; number++) {
    while (ring.written_seen == number) {
      ring.written_seen = atomic_load_explicit(&ring.written, memory_order_acquire);
      cbench_consume(number);
    }
    free(ring.pieces[number % slots]);
    atomic_store_explicit(&ring.read, number + 1, memory_order_release);
  }
  return NULL;
}

int cbench_hand_over_begin(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, free_all, NULL);
}

void cbench_hand_over(const uint64_t *sizes, uint64_t count, uint64_t operations) {
  uint64_t number = atomic_load_explicit(&ring.written, memory_order_relaxed);
  for (uint64_t operation = 0; operation < operations; operation++) {
    for (uint64_t piece = 0; piece < count; piece++) {
      uint64_t *memory = malloc(sizes[piece]);
      *memory = operation;
      while (number - ring.read_seen == slots) {
        ring.read_seen = atomic_load_explicit(&ring.read, memory_order_acquire);
      }
      ring.pieces[number % slots] = memory;
      number++;
    }
    atomic_store_explicit(&ring.written, number, memory_order_release);
  }
  while (atomic_load_explicit(&ring.read, memory_order_acquire) != number) {
  }
}
