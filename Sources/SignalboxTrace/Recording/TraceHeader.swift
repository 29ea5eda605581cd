// TraceHeader — the header of a recording.

package import SignalboxDiagnostics

/// The header of an image. Times are in monotonic nanoseconds unless noted.
package struct TraceHeader: Sendable, Hashable {
  package typealias Cause = TraceCause

  package var namesSize: Int
  package var namesUsed: Int
  package var chunkSize: Int
  package var chunkCount: Int
  package var processID: UInt32
  package var began: UInt64
  /// The same moment on the wall clock, in nanoseconds since 1970.
  package var beganOnTheWall: UInt64
  package var eventsLost: UInt64
  package var namesLost: UInt64
  /// How many workers the pool may run at once.
  package var processors: UInt32
  package var cause: Cause
  /// When the recording was written; 0 if the program did not write it itself.
  package var written: UInt64
  package var program: String
}
