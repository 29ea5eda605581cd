// times.h — whether the times of queues are measured: see `QueueTimes`.
#pragma once

#include <stdint.h>

/// Whether times are measured, and the number of the measurement. Written under the lock of
/// `ProbeSubscribers`.
extern uint32_t csb_times_on;
extern uint32_t csb_times_measurement;
/// The offset, in each queue, of the number of the queue's row.
extern uint32_t csb_times_row_offset;

static inline uint32_t csb_times_on_load(void) {
  // order: relaxed; a thread that reads an old value loses one time or measures one more.
  return __atomic_load_n(&csb_times_on, __ATOMIC_RELAXED);
}

static inline uint32_t csb_times_measurement_load(void) {
  // order: relaxed; a thread that reads an old value loses one time or measures one more.
  return __atomic_load_n(&csb_times_measurement, __ATOMIC_RELAXED);
}

static inline void csb_times_set(uint32_t on, uint32_t measurement) {
  // order: relaxed; a thread that reads an old value loses one time or measures one more.
  __atomic_store_n(&csb_times_measurement, measurement, __ATOMIC_RELAXED);
  // order: relaxed; a thread that reads an old value loses one time or measures one more.
  __atomic_store_n(&csb_times_on, on, __ATOMIC_RELAXED);
}

static inline uint32_t csb_times_row_offset_load(void) {
  // order: relaxed; written before another thread can know the first queue.
  return __atomic_load_n(&csb_times_row_offset, __ATOMIC_RELAXED);
}

static inline void csb_times_row_offset_store(uint32_t offset) {
  // order: relaxed; written before another thread can know the first queue.
  __atomic_store_n(&csb_times_row_offset, offset, __ATOMIC_RELAXED);
}
