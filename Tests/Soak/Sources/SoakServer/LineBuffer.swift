// LineBuffer — the bytes that a client has sent and that were not yet taken as lines.

struct LineBuffer {
  private var bytes: [UInt8] = []
  /// The first byte that was not taken.
  private var start = 0
  /// There is no end of a line in `start..<searched`.
  private var searched = 0

  /// Longer than any line of a client.
  private static let longestLine = 64 << 10
  /// Bytes that were taken are removed when there are as many, so that each is moved rarely.
  private static let mostTaken = 32 << 10

  mutating func append(_ more: ArraySlice<UInt8>) {
    if start == bytes.count || start >= LineBuffer.mostTaken {
      bytes.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    bytes += more
  }

  /// Takes the next whole line, without its end.
  mutating func next() -> String? {
    guard let end = endOfLine() else { return nil }
    let line = String(decoding: bytes[start..<end], as: UTF8.self)
    start = end + 1
    searched = start
    return line
  }

  /// Whether there is a whole line.
  mutating func hasLine() -> Bool { endOfLine() != nil }

  /// Whether the client has begun a line that is too long. Only after `next` has found none.
  var isTooLong: Bool { searched - start > LineBuffer.longestLine }

  private mutating func endOfLine() -> Int? {
    let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
    searched = end ?? bytes.count
    return end
  }
}
