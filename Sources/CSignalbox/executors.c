#include <stdlib.h>

// A function of SignalboxConcurrency, in Swift. The address is null where the program is
// linked without that module.
extern void csb_executors_begin(void) __attribute__((weak));

/// Before an `async` main begins: afterwards it is too late.
__attribute__((constructor)) static void begin_executors(void) {
  const char *wanted = getenv("SIGNALBOX_EXECUTORS");
  if (wanted && wanted[0] == '1' && !wanted[1] && csb_executors_begin) csb_executors_begin();
}
