// TraceImageError — why bytes are not a recording, and where.

import SignalboxDiagnostics

/// An error in the bytes of a recording.
package struct TraceImageError: Error, Hashable, CustomStringConvertible {
  package enum Problem: Hashable, Sendable {
    /// The bytes end before the header does.
    case endsInHeader(size: Int)
    /// The bytes don't begin with the magic number of a recording.
    case foreign
    case unknownVersion(UInt32)
    /// A number of the header is out of range.
    case impossible(field: String, value: UInt64)
    case unknownCause(UInt32)
    case programIsNoText
    /// The length in a name record is invalid or reaches beyond the end of the
    /// names.
    case nameLength(UInt32)
    /// A name's text is longer than its record.
    case nameOverrun(text: Int, record: Int)
    case unknownSubject(UInt8)
    /// The flags of a name are invalid for its subject.
    case unknownFlags(subject: TraceName.Subject, flags: UInt8)
    case threadNumber(UInt64)
    case nameIsNoText
    /// A chunk counts more events than fit into it.
    case eventCount(UInt32, room: Int)
    /// A chunk in use has no sequence number, or that of another chunk.
    case sequence(UInt64)
    case unknownKind(UInt8)
    /// The time is before the recording's beginning, or more than a century
    /// after it.
    case impossibleTime(UInt64)
    /// Further bytes follow the last chunk.
    case goesOn(bytes: Int)
  }

  package let problem: Problem
  /// The offset of the faulty byte.
  package let offset: Int

  package var description: String {
    if case .unknownVersion = problem { return words }
    return "not a recording: at byte \(offset), \(words)"
  }

  private var words: String {
    switch problem {
    case .endsInHeader(let size): "the header ends after \(size) bytes"
    case .foreign: "it does not begin with SBTRACE1"
    case .unknownVersion(let version):
      "the recording has version \(version) of the format, and this program reads version "
        + "\(TraceLayout.version): read it with the Signalbox that recorded it"
    case .impossible(let field, let value): "\(field) cannot be \(value)"
    case .unknownCause(let cause): "the cause \(cause) is unknown"
    case .programIsNoText: "the program's name is not UTF-8"
    case .nameLength(let length): "a name's record cannot have \(length) bytes here"
    case .nameOverrun(let text, let record):
      "a text of \(text) bytes does not fit into a name's record of \(record)"
    case .unknownSubject(let subject): "a name of the type \(subject) is unknown"
    case .unknownFlags(let subject, let flags): "no \(subject) has the flags \(flags)"
    case .threadNumber(let number): "a thread cannot have the number \(number)"
    case .nameIsNoText: "a name is not UTF-8"
    case .eventCount(let count, let room): "a chunk for \(room) events cannot have \(count)"
    case .sequence(let sequence): "a chunk cannot be number \(sequence), or not once more"
    case .unknownKind(let kind): "an event of the kind \(kind) is unknown"
    case .impossibleTime(let time): "an event cannot be at \(time) ns"
    case .goesOn(let bytes): "\(bytes) bytes follow the last chunk"
    }
  }
}
