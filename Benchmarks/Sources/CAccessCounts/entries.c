// The functions that the instrumentation calls. Their names and parameters are those of
// ThreadSanitizer's runtime.
#include <stdatomic.h>
#include <string.h>

#include "access.h"
#include "caccesscounts.h"
#include "lines.h"
#include "thread.h"

uninstrumented

static atomic_bool prepared;

// The caller has entered a function.
bool cac_is_instrumented(void) { return thread_own()->depth > 0; }

#define here __builtin_return_address(0)

// Called by a constructor of each file, before the program has a second thread.
void __tsan_init(void) {
  if (!atomic_exchange(&prepared, true)) lines_prepare();
}

void __tsan_func_entry(void *code) { thread_enter(thread_own(), code); }
void __tsan_func_exit(void) { thread_leave(thread_own()); }

// Around what Swift frees an object with. What is atomic in it is reported, and nothing else is.
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

// Marks an `inout` access, whose reads and writes are reported by themselves.
void __tsan_external_read(void *address, void *caller, void *tag) {
  (void)address, (void)caller, (void)tag;
}
void __tsan_external_write(void *address, void *caller, void *tag) {
  (void)address, (void)caller, (void)tag;
}

#define plain(size) \
  void __tsan_read##size(void *at) { access_note(at, size, access_read, here); } \
  void __tsan_write##size(void *at) { access_note(at, size, access_write, here); } \
  void __tsan_unaligned_read##size(void *at) { access_note(at, size, access_read, here); } \
  void __tsan_unaligned_write##size(void *at) { access_note(at, size, access_write, here); } \
  void __tsan_volatile_read##size(void *at) { access_note(at, size, access_read, here); } \
  void __tsan_volatile_write##size(void *at) { access_note(at, size, access_write, here); }
plain(1) plain(2) plain(4) plain(8) plain(16)

void *__tsan_memcpy(void *to, const void *from, size_t size) {
  if (size) access_note(from, size, access_read, here), access_note(to, size, access_write, here);
  return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size) {
  if (size) access_note(from, size, access_read, here), access_note(to, size, access_write, here);
  return memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size) {
  if (size) access_note(to, size, access_write, here);
  return memset(to, byte, size);
}

#define exchanging(bits, type, name, operation) \
  type __tsan_atomic##bits##_##name(volatile type *at, type value, int order) { \
    access_interleave(); \
    access_note(at, sizeof *at, access_exchange, here); \
    return operation(at, value, order); \
  }

#define atomic(bits, type) \
  type __tsan_atomic##bits##_load(const volatile type *at, int order) { \
    access_interleave(); \
    access_note(at, sizeof *at, access_load, here); \
    return __atomic_load_n(at, order); \
  } \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order) { \
    access_interleave(); \
    access_note(at, sizeof *at, access_store, here); \
    __atomic_store_n(at, value, order); \
  } \
  exchanging(bits, type, exchange, __atomic_exchange_n) \
  exchanging(bits, type, fetch_add, __atomic_fetch_add) \
  exchanging(bits, type, fetch_sub, __atomic_fetch_sub) \
  exchanging(bits, type, fetch_and, __atomic_fetch_and) \
  exchanging(bits, type, fetch_or, __atomic_fetch_or) \
  exchanging(bits, type, fetch_xor, __atomic_fetch_xor) \
  exchanging(bits, type, fetch_nand, __atomic_fetch_nand) \
  type __tsan_atomic##bits##_compare_exchange_val( \
      volatile type *at, type expected, type desired, int order, int failure_order) { \
    access_interleave(); \
    _Bool swapped = __atomic_compare_exchange_n( \
        at, &expected, desired, 0, order, failure_order); \
    access_note(at, sizeof *at, swapped ? access_swap : access_failed_swap, here); \
    return expected; \
  }
atomic(8, uint8_t) atomic(16, uint16_t) atomic(32, uint32_t) atomic(64, uint64_t)

void __tsan_atomic_thread_fence(int order) {
  access_count(access_fence, here);
  __atomic_thread_fence(order);
}

void __tsan_atomic_signal_fence(int order) { __atomic_signal_fence(order); }

instrumented_again
