// TraceEvent — one decoded event of a recording.

package import SignalboxRuntime

/// One recorded event. ``EventKind`` documents what its numbers mean.
package struct TraceEvent: Sendable, Hashable {
  /// In monotonic nanoseconds.
  package var time: UInt64
  /// The number of the thread that recorded the event.
  package var thread: UInt32
  package var kind: EventKind
  package var flags: UInt8
  package var a: UInt16
  package var b: UInt32
  package var object: UInt64
  package var detail: UInt64

  package init(
    time: UInt64, thread: UInt32, kind: EventKind, flags: UInt8 = 0, a: UInt16 = 0,
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

/// Successive events of one thread, with no lost events between them.
package struct TraceChunk: Sendable, Hashable {
  package var thread: UInt32
  /// The position in the order in which all chunks were opened, from 1.
  package var sequence: UInt64
  /// How many events the thread lost just before this chunk.
  package var lostBefore: UInt64
  /// The indices of its events in ``TraceRecording/events``.
  package var events: Range<Int>
}
