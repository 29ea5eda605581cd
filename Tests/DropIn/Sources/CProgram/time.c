#include <time.h>

#include "expect.h"

/// As the toolchain's library answers.
void use_time(void) {
  dispatch_time_t forever = DISPATCH_TIME_FOREVER, wall = DISPATCH_WALLTIME_NOW;
  dispatch_time_t continuous = 1ull << 63;
  expect(dispatch_time(forever, 1) == forever);
  expect(dispatch_time(forever, -1) == forever);
  expect(dispatch_time(5, 10) == 15);
  expect(dispatch_time(5, -10) == 1);
  expect(dispatch_time(5, INT64_MAX) == forever);
  expect(dispatch_time(continuous | 5, 10) == (continuous | 15));
  expect(dispatch_time(continuous | 5, -10) == (continuous | 1));
  expect(dispatch_time((dispatch_time_t)-1000, 500) == (dispatch_time_t)-1500);
  expect(dispatch_time((dispatch_time_t)-1000, -5000) == (dispatch_time_t)-2);
  expect(dispatch_time(wall, INT64_MAX) == forever);
  expect(dispatch_time(wall, INT64_MIN) == (dispatch_time_t)-2);
  expect(dispatch_time(1ull << 62, 3) == forever);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  dispatch_time_t start = (dispatch_time_t)now.tv_sec * 1000000000 + (dispatch_time_t)now.tv_nsec;
  expect(dispatch_time(DISPATCH_TIME_NOW, 0) >= start);
  expect(dispatch_time(DISPATCH_TIME_NOW, 0) < start + 3600000000000);
  expect(dispatch_time(continuous, 0) >> 62 == 2 && dispatch_time(wall, 0) >> 62 == 3);
  struct timespec time = {0, 0};
  expect(dispatch_walltime(&time, 0) == forever);
  time.tv_sec = -5;
  expect(dispatch_walltime(&time, 0) == forever);
  time.tv_sec = 10;
  expect(dispatch_walltime(&time, 0) == (dispatch_time_t)-10000000000);
  expect(dispatch_walltime(&time, 5) == (dispatch_time_t)-10000000005);
  expect(dispatch_walltime(&time, -20000000000) == (dispatch_time_t)-2);
  expect(dispatch_walltime(NULL, 0) >> 62 == 3);
}
