// InputLines — the lines of a descriptor as they come, with no thread waiting.
//
// A person types or a program computes for as long as it likes: the descriptor is
// asked again by `asyncAfter`.
//
// Touching  everything that varies: in items of `queue` only.

import Glibc
import SignalboxDispatch

// SAFETY: what varies is confined to the serial queue `queue`.
package final class InputLines: @unchecked Sendable {
  package enum Event: Equatable, Sendable {
    case line(FilePath)
    case end
  }

  /// Nobody notices that their line was read so much later.
  private static let pause = DispatchTimeInterval.milliseconds(50)

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "GooglyPuff.input", qos: .userInitiated)
  private let handler: @Sendable (Event) -> Void
  /// The beginning of a line that has not ended.
  private var rest: [UInt8] = []

  /// Calls `handler` in the background with each line that is not empty, without
  /// spaces before it, and with the end.
  package init(of descriptor: Int32, handler: @escaping @Sendable (Event) -> Void) {
    self.descriptor = descriptor
    self.handler = handler
  }

  package func start() {
    queue.async { self.readWhatIsThere() }
  }

  private func readWhatIsThere() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&question, 1, 0) == 0 {
        queue.asyncAfter(deadline: .now() + Self.pause) { self.readWhatIsThere() }
        return
      }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count <= 0 { break }
      take(buffer[..<count])
    }
    endLine()
    handler(.end)
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        endLine()
      } else if !rest.isEmpty || byte != UInt8(ascii: " ") {
        rest.append(byte)
      }
    }
  }

  private func endLine() {
    if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    if !rest.isEmpty { handler(.line(FilePath(bytes: rest))) }
    rest = []
  }
}
