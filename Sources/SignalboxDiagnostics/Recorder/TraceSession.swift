// TraceSession — identifies the recording in which an event began.
//
// An event reads the session first, once, and its numbers and time after it. By
// the time the event is written, another recording may have begun. The event then
// belongs to neither: its numbers are those of the earlier recording, and its
// time may be, too.
//
// Touching    the word: any thread, atomically; changed under the recorder's lock.
// Ordering    none. A queue's number is compared with the same word, and an
//             object's number with the recording for which it was cached, or both
//             are looked up under the lock. The call that reads the clock waits
//             for earlier loads.

import CSignalbox

struct TraceSession {
  private let word: UInt64

  /// The current recording, or the last one.
  @inline(__always)
  static var current: TraceSession { TraceSession(word: csb_trace_session_load()) }

  /// The recording's number; 0 before the first recording.
  @inline(__always)
  var number: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }

  /// The last queue number given out before this recording.
  @inline(__always)
  var lastOldQueue: UInt32 { UInt32(truncatingIfNeeded: word) }
}
