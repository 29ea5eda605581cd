// Strong retains and releases. Swift's runtime is not instrumented, so these functions stand before its
// own, which they call. What the runtime retains and releases by itself is not seen.
//
// Rejected    the pointers by which the runtime lets tools take the place of the functions: with
//             Swift 6.3 they are also called for short strings, which are no objects, and
//             with addresses from which that cannot be told.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>

#include "access.h"

// Only here is it certain that these functions are called as C functions are.
#if defined(__x86_64__)

uninstrumented

/// The words of an object: its type, and the counts.
struct object {
  const void *type;
  _Atomic uint64_t counts;
};

// An object that lives for ever, which the compiler made, is never written: the lower half of its
// word is full. What is negative is no object. Beside an object's address, a string has bits of its
// own in the word.
static void note(void *word, enum access access, void *code) {
  if ((intptr_t)word <= 0) return;
  struct object *object = (struct object *)((uintptr_t)word & 0xfffffffffffff8);
  uint64_t counts = atomic_load_explicit(&object->counts, memory_order_relaxed);
  if ((uint32_t)counts == UINT32_MAX) return;
  access_interleave();
  access_note(&object->counts, sizeof object->counts, access, code);
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

#define counted(name, type, access, parameters, arguments) \
  static type(*name##_next) parameters; \
  __attribute__((constructor(101))) static void find_##name(void) { name##_next = next(#name); } \
  type name parameters { \
    note(object, access, __builtin_return_address(0)); \
    if (!name##_next) find_##name(); \
    return name##_next arguments; \
  }
counted(swift_retain, void *, access_retain, (void *object), (object))
counted(swift_bridgeObjectRetain, void *, access_retain, (void *object), (object))
counted(swift_release, void, access_release, (void *object), (object))
counted(swift_bridgeObjectRelease, void, access_release, (void *object), (object))
counted(swift_retain_n, void *, access_retain, (void *object, uint32_t n), (object, n))
counted(swift_bridgeObjectRetain_n, void *, access_retain, (void *object, uint32_t n), (object, n))
counted(swift_release_n, void, access_release, (void *object, uint32_t n), (object, n))
counted(swift_bridgeObjectRelease_n, void, access_release, (void *object, uint32_t n), (object, n))

instrumented_again

#endif
