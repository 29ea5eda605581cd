// Ends — two connected descriptors: bytes written to the output arrive at the input.
//
// The last reference closes the descriptors that the test has not closed.

import CSystemCalls
import Glibc

package final class Ends: Sendable {
  package enum Kind: CaseIterable, Sendable {
    case pipe, sockets, datagrams
    /// Text typed on the host's side arrives on the program's side in whole lines.
    case terminal
    /// Text that the program prints arrives unchanged on the host's side.
    case screen
  }

  private let descriptors: Guarded<(input: Int32, output: Int32)>

  package init(_ kind: Kind = .pipe) throws {
    var ends: [Int32] = [-1, -1]
    let error =
      switch kind {
      case .pipe: csc_pipe(&ends)
      case .sockets: csc_socket_pair(&ends, 0)
      case .datagrams: csc_socket_pair(&ends, 1)
      case .terminal, .screen: csc_terminal(&ends)
      }
    guard error == 0 else { throw SystemCallFailure(call: "\(kind)", code: error) }
    // For a terminal, the host's side comes first.
    descriptors = Guarded(kind == .terminal ? (ends[1], ends[0]) : (ends[0], ends[1]))
    if kind == .screen { Ends.leaveAsItIs(ends[1]) }
  }

  deinit {
    closeInput()
    closeOutput()
  }

  private static func leaveAsItIs(_ terminal: Int32) {
    var settings = termios()
    tcgetattr(terminal, &settings)
    cfmakeraw(&settings)
    tcsetattr(terminal, TCSANOW, &settings)
  }

  /// The descriptor to read from, or -1 after it is closed.
  package var input: Int32 { descriptors.current.input }
  /// The descriptor to write to, or -1 after it is closed.
  package var output: Int32 { descriptors.current.output }

  /// Closes the input once; later calls do nothing.
  package func closeInput() {
    let end = descriptors.withValue { ends in
      defer { ends.input = -1 }
      return ends.input
    }
    if end >= 0 { close(end) }
  }

  package func closeOutput() {
    let end = descriptors.withValue { ends in
      defer { ends.output = -1 }
      return ends.output
    }
    if end >= 0 { close(end) }
  }

  /// Closes the input and waits until the kernel has no reader left.
  ///
  /// A child that another test starts at this moment has a copy of the input until its `exec`. As
  /// long as the copy is open, a write succeeds.
  package func closeLastInput(file: StaticString = #fileID, line: UInt = #line) throws {
    closeInput()
    // Without events to wait for, the kernel reports only that the other side is gone.
    var state = pollfd(fd: output, events: 0, revents: 0)
    let end = Uptime.now() + RealTime.wedge
    while poll(&state, 1, 100) <= 0 {
      guard Uptime.now() < end else {
        throw Wedge.found("descriptor \(output) has a reader", file: file, line: line)
      }
    }
  }

  package func put(_ bytes: [UInt8]) { Bytes.put(bytes, into: output) }

  package func put(_ count: Int = 1) { put([UInt8](repeating: 7, count: count)) }

  /// Returns the result of one read.
  package func take(atMost count: Int = 65_536) -> [UInt8] { Bytes.take(count, from: input) }

  /// Returns exactly this many bytes, or fewer at the end of the stream.
  package func takeAll(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = take(atMost: min(1 << 16, count - bytes.count))
      if more.isEmpty { break }
      bytes += more
    }
    return bytes
  }
}

/// Returns the number of descriptors that this process has open.
package func openDescriptors() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}
