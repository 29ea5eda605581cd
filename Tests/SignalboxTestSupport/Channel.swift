// Channel — two descriptors of which one shows what is written to the other.

import CSystemCalls
import Glibc

/// Closes what is still open with its last reference.
package final class Channel: Sendable {
  package enum Kind: CaseIterable, Sendable { case pipe, sockets, datagrams, terminal }

  /// Where the bytes arrive.
  package let input: Int32
  /// Where they are put in.
  package let output: Int32
  private let isOpen = Guarded((input: true, output: true))

  package init(_ kind: Kind = .pipe) throws {
    var ends: [Int32] = [-1, -1]
    let error =
      switch kind {
      case .pipe: csc_pipe(&ends)
      case .sockets: csc_socket_pair(&ends, 0)
      case .datagrams: csc_socket_pair(&ends, 1)
      case .terminal: csc_terminal(&ends)
      }
    guard error == 0 else { throw SystemCallFailure(call: "\(kind)", code: error) }
    // What is typed at the host's side arrives in the program's.
    (input, output) = kind == .terminal ? (ends[1], ends[0]) : (ends[0], ends[1])
  }

  deinit {
    closeInput()
    closeOutput()
  }

  /// Each is closed once, whoever asks.
  package func closeInput() {
    let mustClose = isOpen.withValue { isOpen in
      defer { isOpen.input = false }
      return isOpen.input
    }
    if mustClose { close(input) }
  }

  package func closeOutput() {
    let mustClose = isOpen.withValue { isOpen in
      defer { isOpen.output = false }
      return isOpen.output
    }
    if mustClose { close(output) }
  }

  package func put(_ bytes: [UInt8]) { Bytes.put(bytes, into: output) }

  package func put(_ count: Int = 1) { put([UInt8](repeating: 7, count: count)) }

  package func take(atMost count: Int = 65_536) -> [UInt8] { Bytes.take(count, from: input) }
}

/// Bytes through a descriptor, with signals in between.
package enum Bytes {
  /// Writes them all, or ends the process: a test's own channels take what it puts.
  package static func put(_ bytes: [UInt8], into descriptor: Int32) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress! + written, bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { Wedge.fatal("write to \(descriptor): errno \(errno)") }
      written += count
    }
  }

  /// What one read gives: nothing at the end, or when there is none.
  package static func take(_ count: Int, from descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let length = read(descriptor, &bytes, count)
      if length < 0 && errno == EINTR { continue }
      return Array(bytes[0..<max(0, length)])
    }
  }

  /// Writes until the descriptor takes no more, and returns how much it took. It is
  /// non-blocking from then on.
  package static func fill(_ descriptor: Int32) throws -> Int {
    let error = csc_never_wait(descriptor)
    guard error == 0 else { throw SystemCallFailure(call: "fcntl", code: error) }
    let bytes = [UInt8](repeating: 9, count: 4096)
    var all = 0
    while true {
      let count = write(descriptor, bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return all }
      guard count > 0 else { throw SystemCallFailure(call: "write", code: errno) }
      all += count
    }
  }
}
