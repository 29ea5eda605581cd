#include "CSignalbox/environment.h"
#include "CSignalbox/times.h"

uint32_t csb_times_on;
uint32_t csb_times_measurement;
uint32_t csb_times_row_offset;

// A function of SignalboxDiagnostics, in Swift. Its address is null in a program
// without that module.
extern void csb_metrics_begin(const char *wanted) __attribute__((weak));

/// Runs before `main`, and so before the first item.
__attribute__((constructor)) static void begin_metrics(void) {
  const char *wanted = csb_environment("SIGNALBOX_METRICS");
  if (wanted && wanted[0] && csb_metrics_begin) csb_metrics_begin(wanted);
}
