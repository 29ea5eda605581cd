// A function of SignalboxFoundation, in Swift. The address is null where the program is
// linked without that module.
extern void csb_foundation_begin(void) __attribute__((weak));

/// Before the program's first thread.
__attribute__((constructor)) static void begin_foundation(void) {
  if (csb_foundation_begin) csb_foundation_begin();
}
