// TraceLayout — how a recording stands in memory and in a file.
//
// It is written here and read by SignalboxTrace. What is said here is fixed for a version:
// see Documentation/Internals/Trace.md.

/// Why a recording was written.
package enum TraceCause: UInt32, Sendable, CaseIterable {
  /// It was not: this is the memory of a program that still runs, or was killed.
  case notYet = 0
  case programEnded = 1
  case demanded = 2
  case signal = 3
  /// A trap or a crash.
  case crash = 4
  case condition = 5
}

/// Where things stand in an image of version 2, in bytes. Little-endian.
package enum TraceLayout {
  package static let magic = Array("SBTRACE1".utf8)
  /// 2: the flags of an object's name say whether it is a description. 1 had no such flag.
  package static let version: UInt32 = 2
  package static let headerSize = 128
  package static let chunkHeaderSize = 32
  package static let eventSize = 32
  package static let nameHeaderSize = 32
  /// In the flags of an object's name: it says what the object is, with its name in quotes.
  package static let describedFlag: UInt8 = 128
  /// No time lies further than this after the beginning: 146 years, and sums of two fit.
  package static let longest = UInt64(1) << 62

  /// In bytes; as many of them as a header can count are fewer than an `Int` can.
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

  /// Offsets in a chunk's header.
  package enum Chunk {
    package static let thread = 0
    package static let count = 4
    package static let sequence = 8
    package static let lost = 16
  }

  /// Offsets in the record of a name.
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

/// What a name's record names.
package enum TraceSubject: UInt8, Sendable, CaseIterable {
  case queue = 1
  case thread = 2
  case object = 3
  case text = 4
}

/// What a queue is, as a name's flags say it.
package enum TraceQueueKind: UInt8, Sendable, CaseIterable {
  case serial = 0
  case concurrent = 1
  case main = 2
  case global = 3
  case workloop = 4
}

/// What a thread is, as a name's flags say it.
package enum TraceThreadRole: UInt8, Sendable, CaseIterable {
  case other = 0
  case main = 1
  case worker = 2
}

/// What an object is, as a name's flags say it.
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
}
