#include <errno.h>

#include "expect.h"

void use_semaphore(void) {
  expect(dispatch_semaphore_create(-1) == NULL);
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(1);
  expect(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER) == 0);
  errno = 0;
  expect(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) != 0 && errno == ETIMEDOUT);
  dispatch_time_t times[] = {dispatch_time(DISPATCH_TIME_NOW, 1000000),
                             dispatch_walltime(NULL, 1000000), dispatch_time(1ull << 63, 1000000)};
  for (int index = 0; index < 3; index++)
    expect(dispatch_semaphore_wait(semaphore, times[index]) != 0);
  expect(dispatch_semaphore_signal(semaphore) == 0);
  expect(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) == 0);
  dispatch_semaphore_t other = dispatch_semaphore_create(0);
  dispatch_async(dispatch_get_global_queue(0, 0), ^{
    for (int count = 0; count < 1000; count++) {
      dispatch_semaphore_wait(other, DISPATCH_TIME_FOREVER);
      dispatch_semaphore_signal(semaphore);
    }
  });
  for (int count = 0; count < 1000; count++) {
    dispatch_semaphore_signal(other);
    dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
  }
  dispatch_semaphore_signal(semaphore);
  dispatch_release(semaphore);
  dispatch_release(other);
}
