// Every line of the address space has a word here, and the kernel gives memory for those that
// are touched. So no two lines share a word, and none is forgotten.
//
// A word       the number of the thread that wrote last, 0 for none, and above it a bit for
//              each thread that has read the line since. Threads whose numbers differ by a
//              multiple of `readers` share a bit: a read of the second one is missed.
// Ordering     none. The words say in which order the accesses were noted. Two threads that
//              access a line in the same few nanoseconds may be noted in the other order.
#include "lines.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sysexits.h>

uninstrumented

enum { writer_bits = 16, readers = 64 - writer_bits, address_bits = 47, line_bits = 6 };

static _Atomic uint64_t *words;

void lines_prepare(void) {
  size_t size = ((size_t)1 << (address_bits - line_bits)) * sizeof *words;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    perror("count-transfers: cannot reserve addresses for the cache lines");
    exit(EX_OSERR);
  }
  madvise(memory, size, MADV_NOHUGEPAGE);
  words = memory;
}

bool lines_are_prepared(void) { return words != NULL; }

static _Atomic uint64_t *word_of(uintptr_t address) {
  return &words[(address & (((uintptr_t)1 << address_bits) - 1)) >> line_bits];
}

enum move line_read(uintptr_t address, uint32_t thread) {
  _Atomic uint64_t *word = word_of(address);
  uint64_t bit = (uint64_t)1 << (writer_bits + thread % readers);
  uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
  while (1) {
    uint32_t writer = (uint16_t)old;
    if (writer == 0 || writer == thread || old & bit) return move_none;
    if (atomic_compare_exchange_weak_explicit(word, &old, old | bit, memory_order_relaxed,
                                              memory_order_relaxed)) {
      return move_fetched;
    }
  }
}

enum move line_write(uintptr_t address, uint32_t thread) {
  _Atomic uint64_t *word = word_of(address);
  uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
  if (old == thread) return move_none;
  old = atomic_exchange_explicit(word, thread, memory_order_relaxed);
  uint32_t writer = (uint16_t)old;
  if (writer == 0 || old == thread) return move_none;
  return writer == thread ? move_recalled : move_claimed;
}

instrumented_again
