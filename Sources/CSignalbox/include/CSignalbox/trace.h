// trace.h — the recorder's words that each event reads, and its system calls.
//
// Touching    all words: any thread, atomically. They say how to record and publish
//             no other data: a thread that sees an old value records into memory
//             that no thread reads any more, or takes the slow path, whose lock
//             shows it the rest.
#pragma once

#include <stdint.h>

/// The upper half holds the number of the recording, 0 before the first one.
/// The lower half holds the last queue number given out before the recording
/// began: see `TraceSession`.
extern uint64_t csb_trace_session;

static inline uint64_t csb_trace_session_load(void) {
  // order: relaxed; see Touching.
  return __atomic_load_n(&csb_trace_session, __ATOMIC_RELAXED);
}

static inline void csb_trace_session_store(uint64_t session) {
  // order: relaxed; see Touching.
  __atomic_store_n(&csb_trace_session, session, __ATOMIC_RELAXED);
}

/// The number of events of this recording that were overwritten or dropped.
extern uint64_t csb_trace_lost;

static inline uint64_t csb_trace_lost_load(void) {
  // order: relaxed; the count publishes no other data.
  return __atomic_load_n(&csb_trace_lost, __ATOMIC_RELAXED);
}

static inline void csb_trace_lost_store(uint64_t count) {
  // order: relaxed; the count publishes no other data.
  __atomic_store_n(&csb_trace_lost, count, __ATOMIC_RELAXED);
}

static inline void csb_trace_lost_add(uint64_t count) {
  // order: relaxed; the count publishes no other data.
  __atomic_fetch_add(&csb_trace_lost, count, __ATOMIC_RELAXED);
}

/// How often an object's address has lost its number: see `TraceObjectCache`.
/// Never 0.
extern uint64_t csb_trace_object_changes;

static inline uint64_t csb_trace_object_changes_load(void) {
  // order: relaxed; a thread that learns of another object at the address has
  // synchronized with the thread that freed the first one, and so sees the
  // change that the free made.
  return __atomic_load_n(&csb_trace_object_changes, __ATOMIC_RELAXED);
}

static inline void csb_trace_object_changes_add(void) {
  // order: relaxed; see `csb_trace_object_changes_load`.
  __atomic_fetch_add(&csb_trace_object_changes, 1, __ATOMIC_RELAXED);
}

/// The offset in bytes of the trace number in a queue; 0 before there is a
/// queue.
extern uint32_t csb_trace_queue_offset;

static inline uint32_t csb_trace_queue_offset_load(void) {
  // order: relaxed; written before another thread can know the first queue.
  return __atomic_load_n(&csb_trace_queue_offset, __ATOMIC_RELAXED);
}

static inline void csb_trace_queue_offset_store(uint32_t offset) {
  // order: relaxed; written before another thread can know the first queue.
  __atomic_store_n(&csb_trace_queue_offset, offset, __ATOMIC_RELAXED);
}

/// How many nanoseconds an item may wait in its queue before the recording is
/// written; 0 for no limit.
extern uint64_t csb_trace_wait_limit;

static inline uint64_t csb_trace_wait_limit_load(void) {
  // order: relaxed; the setting publishes no other data.
  return __atomic_load_n(&csb_trace_wait_limit, __ATOMIC_RELAXED);
}

static inline void csb_trace_wait_limit_store(uint64_t nanoseconds) {
  // order: relaxed; the setting publishes no other data.
  __atomic_store_n(&csb_trace_wait_limit, nanoseconds, __ATOMIC_RELAXED);
}

/// Whether the recorder records where in the program events happen.
extern uint32_t csb_trace_places;

static inline uint32_t csb_trace_places_load(void) {
  // order: relaxed; the setting publishes no other data.
  return __atomic_load_n(&csb_trace_places, __ATOMIC_RELAXED);
}

static inline void csb_trace_places_store(uint32_t are_wanted) {
  // order: relaxed; the setting publishes no other data.
  __atomic_store_n(&csb_trace_places, are_wanted, __ATOMIC_RELAXED);
}

/// Asks for the recording to be written. `cause` is a number below 32. Safe to
/// call anywhere, also in a signal handler. Takes one system call.
void csb_trace_call(uint32_t cause);

/// Waits for a call of `csb_trace_call`.
///
/// Returns the causes since the last wait, one bit each.
uint32_t csb_trace_await_calls(void);

/// How often this thread has left the processor, voluntarily and involuntarily.
struct csb_switches {
  uint32_t voluntary;
  uint32_t involuntary;
};

/// Takes one system call.
struct csb_switches csb_thread_switches(void);
