// trace.h — the words of the recorder that each event reads, and what it asks of the
// kernel.
//
// Touching    all words: any thread, atomically. They say how to record, and carry nothing:
//             a thread that sees an old one records into memory that nobody reads any more,
//             or takes the slow path, whose lock shows it the rest.
#pragma once

#include <stdint.h>

/// The number of the recording in the upper half, 0 before the first; in the lower one the
/// last number that a queue was given before it began: see `TraceSession`.
extern uint64_t csb_trace_session;

static inline uint64_t csb_trace_session_load(void) {
  // order: relaxed; see Touching.
  return __atomic_load_n(&csb_trace_session, __ATOMIC_RELAXED);
}

static inline void csb_trace_session_store(uint64_t session) {
  // order: relaxed; see Touching.
  __atomic_store_n(&csb_trace_session, session, __ATOMIC_RELAXED);
}

/// How many events of this recording were overwritten or dropped.
extern uint64_t csb_trace_lost;

static inline uint64_t csb_trace_lost_load(void) {
  // order: relaxed; a count.
  return __atomic_load_n(&csb_trace_lost, __ATOMIC_RELAXED);
}

static inline void csb_trace_lost_store(uint64_t count) {
  // order: relaxed; a count.
  __atomic_store_n(&csb_trace_lost, count, __ATOMIC_RELAXED);
}

static inline void csb_trace_lost_add(uint64_t count) {
  // order: relaxed; a count.
  __atomic_fetch_add(&csb_trace_lost, count, __ATOMIC_RELAXED);
}

/// How often an object's address has lost its number so far: see `TraceObjectCache`. Never 0.
extern uint64_t csb_trace_object_changes;

static inline uint64_t csb_trace_object_changes_load(void) {
  // order: relaxed; who comes to know another object at the address has synchronised with
  // who freed the first one, and so sees the change that this one's end made.
  return __atomic_load_n(&csb_trace_object_changes, __ATOMIC_RELAXED);
}

static inline void csb_trace_object_changes_add(void) {
  // order: relaxed; as above.
  __atomic_fetch_add(&csb_trace_object_changes, 1, __ATOMIC_RELAXED);
}

/// Where in a queue its trace number stands, in bytes; 0 before there is a queue.
extern uint32_t csb_trace_queue_offset;

static inline uint32_t csb_trace_queue_offset_load(void) {
  // order: relaxed; written before the first queue is known to anybody.
  return __atomic_load_n(&csb_trace_queue_offset, __ATOMIC_RELAXED);
}

static inline void csb_trace_queue_offset_store(uint32_t offset) {
  // order: relaxed; as above.
  __atomic_store_n(&csb_trace_queue_offset, offset, __ATOMIC_RELAXED);
}

/// For how many nanoseconds an item may wait in its queue before that is a reason to write
/// the recording; 0: for ever.
extern uint64_t csb_trace_patience;

static inline uint64_t csb_trace_patience_load(void) {
  // order: relaxed; a setting.
  return __atomic_load_n(&csb_trace_patience, __ATOMIC_RELAXED);
}

static inline void csb_trace_patience_store(uint64_t nanoseconds) {
  // order: relaxed; a setting.
  __atomic_store_n(&csb_trace_patience, nanoseconds, __ATOMIC_RELAXED);
}

/// Whether it is recorded where in the program steps were taken.
extern uint32_t csb_trace_places;

static inline uint32_t csb_trace_places_load(void) {
  // order: relaxed; a setting.
  return __atomic_load_n(&csb_trace_places, __ATOMIC_RELAXED);
}

static inline void csb_trace_places_store(uint32_t are_wanted) {
  // order: relaxed; a setting.
  __atomic_store_n(&csb_trace_places, are_wanted, __ATOMIC_RELAXED);
}

/// Says that there is a reason to write the recording: `cause`, a number below 32. To be
/// called from anywhere, a signal's handler too. One system call.
void csb_trace_call(uint32_t cause);

/// Waits for one.
///
/// Returns the causes that were said since, a bit each.
uint32_t csb_trace_await_calls(void);

/// How often this thread has left the processor, by its own will and against it.
struct csb_switches {
  uint32_t voluntary;
  uint32_t involuntary;
};

/// One system call.
struct csb_switches csb_thread_switches(void);
