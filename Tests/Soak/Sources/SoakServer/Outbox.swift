// Outbox — the answers of a connection that the kernel has not taken yet.

import Glibc

struct Outbox {
  /// How an attempt to send ended.
  enum Outcome {
    /// Everything is sent.
    case sent
    /// The client must read before more can be sent.
    case full
    /// The client has gone.
    case failed
  }

  private var bytes: [UInt8] = []
  /// How many of `bytes` are sent.
  private var sent = 0

  /// No request is taken while more bytes than this wait: a client that does not read must not
  /// make the server hold its answers.
  private static let highWater = 256 << 10
  /// An empty buffer that is larger than this is freed.
  private static let largestKept = 64 << 10

  var isEmpty: Bool { sent == bytes.count }

  /// Whether so much waits that no request should be taken.
  var isFull: Bool { bytes.count - sent >= Outbox.highWater }

  mutating func append(_ line: String) {
    bytes += line.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Sends as much as the socket takes.
  mutating func send(to descriptor: Int32) -> Outcome {
    while sent < bytes.count {
      let start = sent
      let count = bytes.withUnsafeBytes {
        // Without MSG_NOSIGNAL, a client that has gone would end the server by SIGPIPE.
        Glibc.send(descriptor, $0.baseAddress! + start, $0.count - start, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        bytes.removeSubrange(..<sent)
        sent = 0
        return .full
      } else if errno != EINTR {
        return .failed
      }
    }
    bytes.removeAll(keepingCapacity: bytes.capacity <= Outbox.largestKept)
    sent = 0
    return .sent
  }
}
