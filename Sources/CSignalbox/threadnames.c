#include "CSignalbox/environment.h"

// A function of SignalboxDiagnostics, in Swift. Its address is null in a program
// without that module.
extern void csb_thread_names_begin(const char *wanted) __attribute__((weak));

/// Runs before `main`, and so before the first worker.
__attribute__((constructor)) static void begin_thread_names(void) {
  const char *wanted = csb_environment("SIGNALBOX_THREAD_NAMES");
  if (wanted && wanted[0] && csb_thread_names_begin) csb_thread_names_begin(wanted);
}
