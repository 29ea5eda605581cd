// engine.h — the process-wide words that inline code reads: the engine's
// pointer and the probe masks.
//
// Ordering    EN1  install's compare-and-swap (releasing) → load (acquiring): who
//                  finds an engine finds it made.
#pragma once

#include <stdint.h>

/// The engine in use; null until the first submission. A test may put a
/// controlled one here before anything runs.
extern void *_Nullable csb_engine;

/// The engine, or null.
static inline void *_Nullable csb_engine_load(void) {
  return __atomic_load_n(&csb_engine, __ATOMIC_ACQUIRE);  // order: acquiring, EN1
}

/// Installs `engine` if there is none yet; returns the one that is in place.
static inline void *_Nonnull csb_engine_install(void *_Nonnull engine) {
  void *expected = 0;
  // order: acquiring and releasing, EN1
  if (__atomic_compare_exchange_n(&csb_engine, &expected, engine, 0,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return engine;
  return expected;
}

/// Takes the engine out of use, in a forked child and by its only thread: the
/// next use makes a new one.
static inline void csb_engine_abandon(void) {
  // order: relaxed; this is the process's only thread.
  __atomic_store_n(&csb_engine, 0, __ATOMIC_RELAXED);
}

/// Which probes have a subscriber, a bit each. One that is switched on may miss
/// steps already under way.
extern uint32_t csb_probe_mask;

/// Not a probe: set while the order of locks is checked. From the program's
/// start on where the environment's SIGNALBOX_CHECK asks for `lock-order`.
#define CSB_PROBE_CHECK 0x40000000u

static inline uint32_t csb_probe_mask_load(void) {
  // order: relaxed; a probe may miss steps already under way.
  return __atomic_load_n(&csb_probe_mask, __ATOMIC_RELAXED);
}

static inline void csb_probe_mask_set(uint32_t bits) {
  // order: relaxed; a probe may miss steps already under way.
  __atomic_fetch_or(&csb_probe_mask, bits, __ATOMIC_RELAXED);
}

/// Which of them are told to a handler, and which are recorded, where each kind has a bit of its
/// own. Read behind the test of the mask, which is both together.
extern uint32_t csb_probe_heard;
extern uint32_t csb_probe_recorded;

static inline uint32_t csb_probe_heard_load(void) {
  // order: relaxed; as above.
  return __atomic_load_n(&csb_probe_heard, __ATOMIC_RELAXED);
}

static inline uint32_t csb_probe_recorded_load(void) {
  // order: relaxed; as above.
  return __atomic_load_n(&csb_probe_recorded, __ATOMIC_RELAXED);
}

/// Says which steps are told and which are recorded, and the bits of both in the mask. One
/// caller at a time.
static inline void csb_probe_masks_set(uint32_t heard, uint32_t recorded, uint32_t both) {
  // order: relaxed; as above.
  __atomic_store_n(&csb_probe_heard, heard, __ATOMIC_RELAXED);
  // order: relaxed; as above.
  __atomic_store_n(&csb_probe_recorded, recorded, __ATOMIC_RELAXED);
  // order: relaxed; as above. Set first: a bit that stays is never missing.
  __atomic_fetch_or(&csb_probe_mask, both, __ATOMIC_RELAXED);
  // order: relaxed; as above.
  __atomic_fetch_and(&csb_probe_mask, both | CSB_PROBE_CHECK, __ATOMIC_RELAXED);
}

/// The order of locks is checked no more.
static inline void csb_probe_check_end(void) {
  // order: relaxed; as above.
  __atomic_fetch_and(&csb_probe_mask, ~CSB_PROBE_CHECK, __ATOMIC_RELAXED);
}
