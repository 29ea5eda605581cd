#define _GNU_SOURCE
#include "CSignalbox/trace.h"

#include <errno.h>
#include <sys/resource.h>

#include "CSignalbox/environment.h"
#include "CSignalbox/futex.h"
#include "CSignalbox/trap.h"

uint64_t csb_trace_session;
uint64_t csb_trace_lost;
uint64_t csb_trace_object_changes = 1;
uint64_t csb_trace_wait_limit;
uint32_t csb_trace_places;
uint32_t csb_trace_queue_offset;

static uint32_t calls;

void csb_trace_call(uint32_t cause) {
  int error = errno;
  // order: relaxed; the bits depend on no other data.
  __atomic_fetch_or(&calls, 1u << cause, __ATOMIC_RELAXED);
  csb_futex_wake(&calls, 1);
  errno = error;
}

uint32_t csb_trace_await_calls(void) {
  while (1) {
    // order: relaxed; the bits depend on no other data.
    uint32_t found = __atomic_exchange_n(&calls, 0, __ATOMIC_RELAXED);
    if (found) return found;
    csb_futex_wait(&calls, 0, UINT64_MAX, 0);
  }
}

struct csb_switches csb_thread_switches(void) {
  struct rusage usage;
  struct csb_switches switches = {0, 0};
  if (getrusage(RUSAGE_THREAD, &usage) == 0) {
    switches.voluntary = (uint32_t)usage.ru_nvcsw;
    switches.involuntary = (uint32_t)usage.ru_nivcsw;
  }
  return switches;
}

// Functions of SignalboxTrace, in Swift. Their addresses are null if the
// program does not link that module.
extern void csb_trace_begin(void) __attribute__((weak));
extern void csb_advice_begin(const char *wanted) __attribute__((weak));

/// The value of a variable; null if it is unset or empty.
static const char *wish(const char *name) {
  const char *wanted = csb_environment(name);
  return wanted && wanted[0] ? wanted : NULL;
}

/// Runs before the program creates its first queue.
__attribute__((constructor)) static void begin_trace(void) {
  const char *advice = wish("SIGNALBOX_ADVICE");
  if (wish("SIGNALBOX_TRACE")) {
    if (csb_trace_begin) {
      csb_trace_begin();
    } else {
      csb_warn("SIGNALBOX: SIGNALBOX_TRACE is set, but this program is linked without the "
                   "module SignalboxTrace: it runs untraced. Link it with the product "
                   "SignalboxTrace as well.");
    }
  }
  // Call this after `csb_trace_begin`, because there is only one recording.
  if (advice) {
    if (csb_advice_begin) {
      csb_advice_begin(advice);
    } else {
      csb_warn("SIGNALBOX: SIGNALBOX_ADVICE is set, but this program is linked without the "
                   "module SignalboxTrace: it gets no advice. Link it with the product "
                   "SignalboxTrace as well.");
    }
  }
}
