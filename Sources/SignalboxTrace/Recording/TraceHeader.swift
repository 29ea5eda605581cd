// TraceHeader — what a recording says of itself before its events.

package import SignalboxRuntime

/// The beginning of an image. Times are monotonic nanoseconds if nothing else is said.
package struct TraceHeader: Sendable, Hashable {
  package typealias Cause = TraceCause

  package var namesSize: Int
  package var namesUsed: Int
  package var chunkSize: Int
  package var chunkCount: Int
  package var processID: UInt32
  package var began: UInt64
  /// The same moment by the clock on the wall: nanoseconds since 1970.
  package var beganOnTheWall: UInt64
  package var eventsLost: UInt64
  package var namesLost: UInt64
  /// How many workers the pool may run at once.
  package var processors: UInt32
  package var cause: Cause
  /// 0: it was not written on purpose.
  package var written: UInt64
  package var program: String
}
