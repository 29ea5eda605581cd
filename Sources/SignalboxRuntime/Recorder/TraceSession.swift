// TraceSession — the recording that a step is of: the one that it began in.
//
// A step reads it first, once, and its numbers and its time after it. By the time at which the step
// is written down another recording may have begun: then it is of neither, as its numbers are the
// former's, and its time may be.
//
// Touching    the word: any thread, atomically; changed under the recorder's lock.
// Ordering    none. A queue's number is compared with the same word, an object's with the recording
//             that it was kept for, or both are found under the lock. The clock is read by a call
//             that waits for what was loaded before it.

import CSignalbox

struct TraceSession {
  private let word: UInt64

  /// The one that is recorded now, or was last.
  @inline(__always)
  static var current: TraceSession { TraceSession(word: csb_trace_session_load()) }

  /// Its number; 0 before the first.
  @inline(__always)
  var number: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }

  /// The last number that a queue was given before it.
  @inline(__always)
  var lastOldQueue: UInt32 { UInt32(truncatingIfNeeded: word) }
}
