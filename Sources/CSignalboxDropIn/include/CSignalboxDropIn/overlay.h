// overlay.h — the toolchain's class DispatchQueue, whose methods this library
// replaces where it can.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// An object of the class DispatchQueue or DispatchGroup, with the layout that
/// this library expects.
struct csd_overlay_object {
  void *_Nonnull header[2];
  void *_Nullable handle;
};

/// The object's address for C code.
static inline void *_Nullable csd_overlay_handle(const void *_Nonnull object) {
  return ((const struct csd_overlay_object *)object)->handle;
}

/// Which code runs the methods that this library replaces.
enum csd_overlay {
  CSD_OVERLAY_UNKNOWN,
  /// This library: an object of the class holds a queue of this library.
  CSD_OVERLAY_OURS,
  /// The class itself.
  CSD_OVERLAY_THEIRS,
};

extern int csd_overlay_answer;

/// The answer of `csd_overlay_decide`, if it has been called.
static inline enum csd_overlay csd_overlay_known(void) {
  // order: relaxed; what follows from it depends on constants only.
  return (enum csd_overlay)__atomic_load_n(&csd_overlay_answer, __ATOMIC_RELAXED);
}

/// Finds out which code runs the methods, and replaces the method that programs
/// call through the class's table.
enum csd_overlay csd_overlay_decide(void);

/// The methods that are replaced by name.
enum csd_overlay_method { CSD_OVERLAY_SYNC, CSD_OVERLAY_SYNC_FLAGS, CSD_OVERLAY_ASYNC };

/// Looks for the method that the class of this object defines itself, and
/// returns whether it is there. Call it before a function that jumps to the
/// method.
int csd_overlay_find_next(enum csd_overlay_method method, const void *_Nonnull queue);

/// A quality of service, as the toolchain's DispatchQoS.
struct csd_overlay_qos {
  uint8_t qos_class;
  ptrdiff_t relative_priority;
};

/// Whether these are the parts of `DispatchQoS.unspecified`. Only for objects
/// that are ours.
int csd_overlay_is_unspecified(uint8_t qos_class, ptrdiff_t relative_priority);
