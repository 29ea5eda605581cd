#include "CSignalbox/engine.h"

#include <string.h>

#include "CSignalbox/environment.h"

void *csb_engine;
uint32_t csb_engine_prohibition;
uint32_t csb_probe_mask;
uint32_t csb_probe_heard;
uint32_t csb_probe_recorded;

// A function of SignalboxDiagnostics, in Swift.
extern void csb_lock_order_begin(void);

/// Runs before the program takes its first lock.
__attribute__((constructor)) static void begin_checks(void) {
  const char *wanted = csb_environment("SIGNALBOX_CHECK");
  if (wanted && strstr(wanted, "lock-order")) csb_lock_order_begin();
}
