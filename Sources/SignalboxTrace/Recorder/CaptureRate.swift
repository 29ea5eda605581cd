// CaptureRate — how often the recording is written because an item waits too long.
//
// Touching    the thread that writes recordings.

/// A limit for the rate and for the number of captures.
package struct CaptureRate: Sendable {
  /// From the end of one capture to the next, in nanoseconds.
  package let pause: UInt64
  package let most: Int
  private var count = 0
  private var next: UInt64 = 0

  /// The first late item is the most informative one, and each capture takes
  /// time and room on the disk.
  package static let once = CaptureRate(pause: 0, most: 1)

  package init(pause: UInt64, most: Int) {
    self.pause = pause
    self.most = most
  }

  /// - Returns: whether a capture begins now.
  package mutating func begin(at time: UInt64) -> Bool {
    guard !isOver, time >= next else { return false }
    count += 1
    return true
  }

  /// - Returns: the time before which no other capture begins.
  package mutating func end(at time: UInt64) -> UInt64 {
    next = time.addingOrMax(pause)
    return next
  }

  /// Whether no further capture begins.
  package var isOver: Bool { count >= most }
}
