// TraceLayout — the layout of a recording in memory and in a file.
//
// The recorder writes the image and SignalboxTrace reads it. The layout of a
// version never changes: see Documentation/Internals/Trace.md.

/// Why a recording was written.
package enum TraceCause: UInt32, Sendable, CaseIterable {
  /// Not written yet: this is the memory of a program that still runs or was
  /// killed.
  case notYet = 0
  case programEnded = 1
  case demanded = 2
  case signal = 3
  /// A trap or a crash.
  case crash = 4
  case condition = 5
}

/// Byte offsets and sizes in an image of version 3. All values are
/// little-endian.
package enum TraceLayout {
  package static let magic = Array("SBTRACE1".utf8)
  /// Version 2 added `describedFlag` to an object's name; version 1 had no such
  /// flag. In version 3 a chunk says how many events its thread had before it; in
  /// version 2 it said how many of them were lost.
  package static let version: UInt32 = 3
  package static let headerSize = 128
  package static let chunkHeaderSize = 32
  package static let eventSize = 32
  package static let nameHeaderSize = 32
  /// Set in the flags of an object's name if the text describes the object,
  /// with its name in quotes.
  package static let describedFlag: UInt8 = 128
  /// The latest time after the beginning that a reader accepts: 146 years, so
  /// that the sum of two fits into 64 bits.
  package static let longest = UInt64(1) << 62

  /// The largest chunk, in bytes. An `Int` can hold the size of as many of
  /// these as a header can count.
  package static let largestChunk = 1 << 28

  /// Offsets in the header.
  package enum Header {
    package static let version = 8
    package static let headerSize = 12
    package static let namesSize = 16
    package static let chunkSize = 20
    package static let chunkCount = 24
    package static let processID = 28
    package static let began = 32
    package static let beganOnTheWall = 40
    package static let eventsLost = 48
    package static let processors = 56
    package static let cause = 60
    package static let written = 64
    package static let namesLost = 72
    package static let namesUsed = 80
    package static let program = 84
  }

  /// Offsets in the header of a chunk.
  package enum Chunk {
    package static let thread = 0
    package static let count = 4
    package static let sequence = 8
    /// How many events the thread had recorded or lost before the first one of this chunk.
    package static let before = 16
  }

  /// Offsets in a name record.
  package enum Name {
    package static let length = 0
    package static let subject = 4
    package static let flags = 5
    package static let textSize = 6
    package static let id = 8
    package static let extra = 16
    package static let when = 24
  }
}

/// The kind of thing that a name record names.
package enum TraceSubject: UInt8, Sendable, CaseIterable {
  case queue = 1
  case thread = 2
  case object = 3
  case text = 4
}

/// The kind of a queue, in the flags of its name record.
package enum TraceQueueKind: UInt8, Sendable, CaseIterable {
  case serial = 0
  case concurrent = 1
  case main = 2
  case global = 3
  case workloop = 4
}

/// The kind of a thread, in the flags of its name record.
package enum TraceThreadRole: UInt8, Sendable, CaseIterable {
  case other = 0
  case main = 1
  case worker = 2
}

/// The kind of an object, in the flags of its name record.
package enum TraceObjectKind: UInt8, Sendable, CaseIterable {
  case other = 0
  case lock = 1
  case condition = 2
  case semaphore = 3
  case group = 4
  case timer = 5
  case source = 6
  case runLoop = 7
  case thread = 8
  case operation = 9
  /// A task of Swift's runtime.
  case task = 10
}
