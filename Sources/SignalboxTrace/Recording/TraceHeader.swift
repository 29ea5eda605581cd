// TraceHeader — what a recording says of itself before its events.

/// The beginning of an image. Times are monotonic nanoseconds if nothing else is said.
package struct TraceHeader: Sendable, Hashable {
  /// Why a recording was written.
  package enum Cause: UInt32, Sendable, CaseIterable {
    /// It was not: this is the memory of a program that still runs, or was killed.
    case notYet = 0
    case programEnded = 1
    case demanded = 2
    case signal = 3
    /// A trap or a crash.
    case crash = 4
    case condition = 5
  }

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

/// Where things stand in an image of version 1, in bytes. Little-endian.
enum TraceLayout {
  static let magic = Array("SBTRACE1".utf8)
  static let version: UInt32 = 1
  static let headerSize = 128
  static let chunkHeaderSize = 32
  static let eventSize = 32
  static let nameHeaderSize = 32
  /// No time lies further than this after the beginning: 146 years, and sums of two fit.
  static let longest = UInt64(1) << 62

  /// In bytes; as many of them as a header can count are fewer than an `Int` can.
  static let largestChunk = 1 << 28

  /// Offsets in the header.
  enum Header {
    static let version = 8
    static let headerSize = 12
    static let namesSize = 16
    static let chunkSize = 20
    static let chunkCount = 24
    static let processID = 28
    static let began = 32
    static let beganOnTheWall = 40
    static let eventsLost = 48
    static let processors = 56
    static let cause = 60
    static let written = 64
    static let namesLost = 72
    static let namesUsed = 80
    static let program = 84
  }
}
