// TraceEvent — one step of one thread, as it stands in a recording.

package import SignalboxRuntime

/// One recorded step. What the numbers mean is said at ``TraceKind``.
package struct TraceEvent: Sendable, Hashable {
  /// Monotonic nanoseconds.
  package var time: UInt64
  /// The number of the thread that took the step.
  package var thread: UInt32
  package var kind: TraceKind
  package var flags: UInt8
  package var a: UInt16
  package var b: UInt32
  package var object: UInt64
  package var detail: UInt64

  package init(
    time: UInt64, thread: UInt32, kind: TraceKind, flags: UInt8 = 0, a: UInt16 = 0,
    b: UInt32 = 0, object: UInt64 = 0, detail: UInt64 = 0
  ) {
    self.time = time
    self.thread = thread
    self.kind = kind
    self.flags = flags
    self.a = a
    self.b = b
    self.object = object
    self.detail = detail
  }
}

/// A stretch of one thread's events, without a loss in it.
package struct TraceChunk: Sendable, Hashable {
  package var thread: UInt32
  /// The order of its opening among all chunks, from 1.
  package var sequence: UInt64
  /// How many events this thread lost just before it.
  package var lostBefore: UInt64
  /// Its events' places in ``TraceRecording/events``.
  package var events: Range<Int>
}
