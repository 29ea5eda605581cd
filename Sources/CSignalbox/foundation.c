// A function of SignalboxFoundation, in Swift. Its address is null if the
// program does not link that module.
extern void csb_foundation_begin(void) __attribute__((weak));

/// Runs before the program starts its first thread.
__attribute__((constructor)) static void begin_foundation(void) {
  if (csb_foundation_begin) csb_foundation_begin();
}
