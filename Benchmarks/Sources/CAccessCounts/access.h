// One access, as the instrumented code reports it, and what is counted of it.
#ifndef ACCESS_H
#define ACCESS_H

#include <stddef.h>
#include <stdint.h>

// The functions here are compiled with the program's flags, and must not report themselves.
#define uninstrumented \
  _Pragma("clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
           apply_to = function)")
#define instrumented_again _Pragma("clang attribute pop")

/// What an access is. The order is that of `column_names`.
enum access {
  access_read,
  access_write,
  access_load,
  access_store,
  /// An atomic exchange, addition, or the like.
  access_exchange,
  access_swap,
  /// A compare-and-swap that found another value. It takes the line all the same.
  access_failed_swap,
  access_retain,
  access_release,
  access_allocate,
  access_free,
  access_fence,
  accesses
};

/// What an access does to the copies of a line that threads have.
enum move {
  /// Reads a line that another thread has written since this one touched it.
  move_fetched,
  /// Writes a line that another thread wrote last.
  move_claimed,
  /// Writes a line that this thread wrote last, and others have read since.
  move_recalled,
  moves,
  move_none = moves
};

/// Notes that `size` bytes at `address` are accessed by the code at `code`.
void access_note(const volatile void *address, size_t size, enum access access, void *code);

/// Notes something that touches no memory of its own.
void access_count(enum access access, void *code);

/// Before an atomic operation: lets another thread run now and then. See `cac_interleave`.
void access_interleave(void);

#endif
