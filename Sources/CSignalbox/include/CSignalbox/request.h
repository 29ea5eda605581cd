// request.h — a recording that a tool in another process asks for. See Internals/Asked.md.
//
// States      a request: asked → claimed → starting → running → ready → over; or starting → refused, or running → refused
// Touching    `wish`, `order`, `pulse`: the tool, by process_vm_writev(2). The rest: the thread that
//             has claimed the request, and then the thread that serves it.
// Ordering    RQ1  the tool's system call → the claim's acquiring exchange: the thread that claims a
//                  request finds what the tool wrote before it asked.
//             RQ2  each store of `served` and `phase` (releasing) → a tool, which copies the word
//                  before the data that the word guards.
//             RQ3  the end of a request, a releasing store of `server` → the next claim's acquiring
//                  compare-and-swap: the former request's thread writes nothing after it.
#pragma once

#include <stdint.h>

/// How far the process has come with the request.
enum {
  CSB_REQUEST_CLAIMED = 0,
  /// From here on, `served` is the number of the request.
  CSB_REQUEST_STARTING = 1,
  CSB_REQUEST_RUNNING = 2,
  /// The copy can be read.
  CSB_REQUEST_READY = 3,
  CSB_REQUEST_REFUSED = 4,
  CSB_REQUEST_OVER = 5,
};

/// Why there is no recording.
enum {
  /// The program records itself, or keeps a recording.
  CSB_REFUSAL_IN_USE = 1,
  CSB_REFUSAL_NO_MEMORY = 2,
  CSB_REFUSAL_NO_THREAD = 3,
  /// The program is linked without SignalboxTrace.
  CSB_REFUSAL_NO_RECORDER = 4,
};

/// What the tool wants from the process that serves it.
enum {
  CSB_ORDER_NONE = 0,
  /// End the recording now.
  CSB_ORDER_END = 1,
  /// Free the copy: it was read.
  CSB_ORDER_FREE = 2,
};

/// What a tool wishes. Any value is possible: another process writes it.
struct csb_wish {
  /// Chosen at random.
  uint64_t number;
  /// In nanoseconds.
  uint64_t duration;
  /// Bytes for events.
  uint64_t memory;
  /// The process that is asked, so that a forked child does not take the request for its own.
  uint64_t process;
};

struct csb_request {
  struct csb_wish wish;
  uint8_t order;
  /// The tool changes it again and again, as long as it needs the recording.
  uint8_t pulse;

  /// The process that serves a request; 0 if none does. A forked child finds its parent's number.
  uint64_t server;
  /// The number of the request that is served, or was the last one.
  uint64_t served;
  uint64_t phase;
  uint64_t refusal;
  /// The errno of the refusal, or 0.
  uint64_t error;
  /// The copy of the recording.
  uint64_t copy;
  uint64_t copy_size;
};

/// Takes the request, if there is one that was not taken before and no other is being served. Takes
/// a system call, and no lock.
///
/// Returns whether the caller must start a thread that calls `csb_request_serve`.
int csb_request_claim(void);

/// Serves the request that was claimed.
void csb_request_serve(void);

/// The wish that is served. For the thread that serves it.
struct csb_wish csb_request_wish(void);

/// For the thread that serves the request.
void csb_request_step(uint64_t phase);

/// Publishes the copy.
void csb_request_show(const void *_Nonnull copy, uint64_t size);

/// Ends the request without a recording.
void csb_request_refuse(uint64_t refusal, int error);

/// Ends the request.
void csb_request_end(void);

uint32_t csb_request_order(void);
uint32_t csb_request_pulse(void);
