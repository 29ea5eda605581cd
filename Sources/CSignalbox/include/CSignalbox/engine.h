// engine.h — the process-wide words that inline code reads: the engine's
// pointer and the probe masks.
//
// Ordering    EN1  install's compare-and-swap (releasing) → load (acquiring): a
//                  thread that finds an engine finds it fully initialized.
#pragma once

#include <stdint.h>

/// The current engine; null until the first submission. A test may install a
/// controlled engine here before anything runs.
extern void *_Nullable csb_engine;

/// The engine, or null.
static inline void *_Nullable csb_engine_load(void) {
  return __atomic_load_n(&csb_engine, __ATOMIC_ACQUIRE);  // order: acquiring, EN1
}

/// Installs `engine` if there is none yet. Returns the installed engine.
static inline void *_Nonnull csb_engine_install(void *_Nonnull engine) {
  void *expected = 0;
  // order: acquiring and releasing, EN1
  if (__atomic_compare_exchange_n(&csb_engine, &expected, engine, 0,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return engine;
  return expected;
}

/// Abandons the engine in a forked child; the next use makes a new one. Call on
/// the child's only thread.
static inline void csb_engine_abandon(void) {
  // order: relaxed; this is the process's only thread.
  __atomic_store_n(&csb_engine, 0, __ATOMIC_RELAXED);
}

/// Whether the program has said that it will not use threads. The first
/// submission of work then traps.
extern uint32_t csb_engine_prohibition;

static inline uint32_t csb_engine_is_prohibited(void) {
  // order: relaxed; the word publishes no other data.
  return __atomic_load_n(&csb_engine_prohibition, __ATOMIC_RELAXED);
}

static inline void csb_engine_prohibit(uint32_t prohibits) {
  // order: relaxed; the word publishes no other data.
  __atomic_store_n(&csb_engine_prohibition, prohibits, __ATOMIC_RELAXED);
}

/// Whether a deadlock is only reported, and its threads wait on, instead of ending the process:
/// 1 if SIGNALBOX_ON_MISUSE is `report`. Set before `main`, and constant from then on.
extern uint32_t csb_misuse_is_reported;

static inline uint32_t csb_misuse_report_load(void) { return csb_misuse_is_reported; }

/// What each probe tests: if it is 0, nobody listens. See Internals/Asked.md.
///
/// Its parts have different writers. Each writes only its own bytes, so that no write is lost.
union csb_probe_word {
  uint64_t all;
  struct {
    /// The probes that have a subscriber or are recorded, one bit each. Written by this process. A probe
    /// that is switched on may miss events in progress.
    uint32_t mask;
    /// Not 0 if a tool outside asks for a recording. Written by the tool; cleared by the probe that
    /// finds it.
    uint8_t asked;
    uint8_t unused;
    /// How many listeners the static tracepoints have: one semaphore for all of them. Written by
    /// the kernel or by a debugger, which require 16 bits at an even address.
    uint16_t traced;
  };
};
extern union csb_probe_word csb_probes;

/// Not a probe: set while the order of locks is checked. If the environment's
/// SIGNALBOX_CHECK contains `lock-order`, it is set from the program's start.
#define CSB_PROBE_CHECK 1u

/// All parts of the word.
static inline uint64_t csb_probe_word_load(void) {
  // order: relaxed; a probe may miss events in progress.
  return __atomic_load_n(&csb_probes.all, __ATOMIC_RELAXED);
}

static inline uint32_t csb_probe_mask_load(void) {
  // order: relaxed; a probe may miss events in progress.
  return __atomic_load_n(&csb_probes.mask, __ATOMIC_RELAXED);
}

static inline uint32_t csb_probe_asked_load(void) {
  // order: relaxed; only a hint, `csb_request_claim` decides.
  return __atomic_load_n(&csb_probes.asked, __ATOMIC_RELAXED);
}

static inline uint32_t csb_probe_traced_load(void) {
  // order: relaxed; a tracepoint that fires without a listener is a `nop`.
  return __atomic_load_n(&csb_probes.traced, __ATOMIC_RELAXED);
}

static inline void csb_probe_mask_set(uint32_t bits) {
  // order: relaxed; a probe may miss events in progress.
  __atomic_fetch_or(&csb_probes.mask, bits, __ATOMIC_RELAXED);
}

/// The kinds that handlers receive, and the kinds that are recorded. Probes
/// read these words only after the test of the mask, which combines both.
extern uint32_t csb_probe_heard;
extern uint32_t csb_probe_recorded;

static inline uint32_t csb_probe_heard_load(void) {
  // order: relaxed; a probe may miss events in progress.
  return __atomic_load_n(&csb_probe_heard, __ATOMIC_RELAXED);
}

static inline uint32_t csb_probe_recorded_load(void) {
  // order: relaxed; a probe may miss events in progress.
  return __atomic_load_n(&csb_probe_recorded, __ATOMIC_RELAXED);
}

/// Sets the kinds that handlers receive, the kinds that are recorded, and the
/// mask. Callers must not run concurrently.
static inline void csb_probe_masks_set(uint32_t heard, uint32_t recorded) {
  // order: relaxed; a probe may miss events in progress.
  __atomic_store_n(&csb_probe_heard, heard, __ATOMIC_RELAXED);
  // order: relaxed; a probe may miss events in progress.
  __atomic_store_n(&csb_probe_recorded, recorded, __ATOMIC_RELAXED);
  // order: relaxed; a probe may miss events in progress. Set bits first, so
  // that a bit that stays set is never missing.
  __atomic_fetch_or(&csb_probes.mask, heard | recorded, __ATOMIC_RELAXED);
  // order: relaxed; a probe may miss events in progress.
  __atomic_fetch_and(&csb_probes.mask, heard | recorded | CSB_PROBE_CHECK, __ATOMIC_RELAXED);
}

/// Stops checking the order of locks.
static inline void csb_probe_check_end(void) {
  // order: relaxed; a probe may miss events in progress.
  __atomic_fetch_and(&csb_probes.mask, ~CSB_PROBE_CHECK, __ATOMIC_RELAXED);
}
