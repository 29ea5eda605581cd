// request.c — the words between this process and a tool that asks for a recording, and their entries in
// the table of outside.c.

#include "CSignalbox/request.h"

#include <stddef.h>

#include "CSignalbox/engine.h"
#include "CSignalbox/thread.h"
#include "request_record.h"

struct csb_request csb_request_here;

/// A copy: the tool may write another wish at any time.
static struct csb_wish served;

// A function of SignalboxTrace, in Swift. Null if the program does not link that module.
extern void csb_recording_serve(void) __attribute__((weak));

static void let_go(void) {
  // order: releasing, RQ3
  __atomic_store_n(&csb_request_here.server, 0, __ATOMIC_RELEASE);
}

int csb_request_claim(void) {
  struct csb_request *request = &csb_request_here;
  // order: acquiring, RQ1
  if (!__atomic_exchange_n(&csb_probes.asked, 0, __ATOMIC_ACQUIRE)) return 0;
  uint64_t own = (uint64_t)csb_process_id();
  // order: relaxed; the compare-and-swap decides.
  uint64_t server = __atomic_load_n(&request->server, __ATOMIC_RELAXED);
  // A request for the parent of this process; or another one is being served.
  if (request->wish.process != own || server == own) return 0;
  // order: acquiring, RQ3
  if (!__atomic_compare_exchange_n(&request->server, &server, own, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return 0;
  // The tool may have asked again at the moment at which its request was taken. It never uses a
  // number twice.
  if (request->wish.number == served.number) {
    let_go();
    return 0;
  }
  served = request->wish;
  request->refusal = 0;
  request->error = 0;
  request->copy = 0;
  request->copy_size = 0;
  // The phase is set before `served`: a reader that finds this request's number must never find
  // the previous request's phase.
  csb_request_step(CSB_REQUEST_CLAIMED);
  // order: releasing, RQ2
  __atomic_store_n(&request->served, served.number, __ATOMIC_RELEASE);
  csb_request_step(CSB_REQUEST_STARTING);
  if (csb_recording_serve) return 1;
  csb_request_refuse(CSB_REFUSAL_NO_RECORDER, 0);
  return 0;
}

void csb_request_serve(void) { csb_recording_serve(); }

struct csb_wish csb_request_wish(void) { return served; }

void csb_request_step(uint64_t phase) {
  // order: releasing, RQ2
  __atomic_store_n(&csb_request_here.phase, phase, __ATOMIC_RELEASE);
}

void csb_request_show(const void *copy, uint64_t size) {
  csb_request_here.copy = (uintptr_t)copy;
  csb_request_here.copy_size = size;
  csb_request_step(CSB_REQUEST_READY);
}

void csb_request_refuse(uint64_t refusal, int error) {
  csb_request_here.refusal = refusal;
  csb_request_here.error = (uint64_t)error;
  csb_request_step(CSB_REQUEST_REFUSED);
  let_go();
}

void csb_request_end(void) {
  csb_request_here.copy = 0;
  csb_request_here.copy_size = 0;
  csb_request_step(CSB_REQUEST_OVER);
  let_go();
}

uint32_t csb_request_order(void) {
  // order: relaxed; an order depends on no other data.
  return __atomic_load_n(&csb_request_here.order, __ATOMIC_RELAXED);
}

uint32_t csb_request_pulse(void) {
  // order: relaxed; a pulse depends on no other data.
  return __atomic_load_n(&csb_request_here.pulse, __ATOMIC_RELAXED);
}
