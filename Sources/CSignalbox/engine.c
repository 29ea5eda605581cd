#include "CSignalbox/engine.h"

#include <string.h>

#include "CSignalbox/environment.h"
#include "CSignalbox/trap.h"

void *csb_engine;
uint32_t csb_engine_prohibition;

/// In a section that has contents in the file, because the kernel finds the semaphore of a static
/// tracepoint by its offset in the file. `.bss` has no such contents.
__attribute__((section(".probes"))) union csb_probe_word csb_probes = {0};

uint32_t csb_probe_heard;
uint32_t csb_probe_recorded;
uint32_t csb_misuse_is_reported;

// A function of SignalboxDiagnostics, in Swift.
extern void csb_lock_order_begin(void);

/// Runs before the program takes its first lock.
__attribute__((constructor)) static void begin_checks(void) {
  const char *wanted = csb_environment("SIGNALBOX_CHECK");
  if (wanted && strstr(wanted, "lock-order")) csb_lock_order_begin();
  const char *misuse = csb_environment("SIGNALBOX_ON_MISUSE");
  if (!misuse || !misuse[0] || strcmp(misuse, "trap") == 0) return;
  if (strcmp(misuse, "report") == 0) {
    csb_misuse_is_reported = 1;
  } else {
    csb_warn("SIGNALBOX: SIGNALBOX_ON_MISUSE is neither `report` nor `trap`, so a deadlock ends the process");
  }
}
