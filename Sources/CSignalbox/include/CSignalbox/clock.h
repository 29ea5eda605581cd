// clock.h — the kernel's clocks in nanoseconds.
#pragma once

#include <stdint.h>
#include <time.h>

/// Nanoseconds since boot, not counting suspension (CLOCK_MONOTONIC).
static inline uint64_t csb_clock_uptime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Nanoseconds since 1970 (CLOCK_REALTIME).
static inline uint64_t csb_clock_wall(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Nanoseconds since boot, counting suspension (CLOCK_BOOTTIME).
static inline uint64_t csb_clock_continuous(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Uptime as of the kernel's last tick: a few milliseconds coarse, a few
/// nanoseconds to read.
static inline uint64_t csb_clock_coarse(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
