// SocketConnection — one sender's connection to a socket port; parses its bytes into messages.
//
// Touching    everything: by the thread that holds the port's `reading`.

import CSignalbox
import FoundationEssentials
import SignalboxRuntime

final class SocketConnection {
  let descriptor: Int32
  private var bytes: [UInt8] = []
  /// The answer port of this sender's last message, reused for its next messages so that it
  /// connects only once.
  private var answers: SocketPort?

  enum State {
    case open
    /// With a description of the fault, if there was one.
    case ended(String?)
  }

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  private static var chunk: Int { 64 << 10 }
  /// How many bytes to read in one turn, so that one sender does not monopolize the loop.
  private static var turn: Int { 4 * chunk }

  /// Reads the available bytes and appends the complete messages.
  func read(into come: inout [Envelope]) -> State {
    var left = SocketConnection.turn
    while left > 0 {
      let count = readChunk()
      if count == -Int(EAGAIN) { return parse(into: &come) }
      if count <= 0 {
        // Messages that were complete before the end are valid.
        let state = parse(into: &come)
        guard case .open = state else { return state }
        return .ended(bytes.isEmpty ? nil : "a part of a message, whose sender has ended")
      }
      left -= count
      if count < SocketConnection.chunk { break }
    }
    return parse(into: &come)
  }

  /// - Returns: the number of bytes read, 0 at the end, or -errno.
  private func readChunk() -> Int {
    withUnsafeTemporaryAllocation(byteCount: SocketConnection.chunk, alignment: 16) { chunk in
      let count = csb_io_read(
        descriptor, chunk.baseAddress!, chunk.count, -1, Int32(CSB_IO_SOCKET))
      if count > 0 { bytes.append(contentsOf: chunk[..<count]) }
      return count
    }
  }

  private func parse(into come: inout [Envelope]) -> State {
    var start = 0
    defer { bytes.removeFirst(start) }
    while true {
      switch SocketFrame.read(bytes[start...]) {
      case .unfinished: return .open
      case .garbage(let what): return .ended(what)
      case .message(let number, let answers, let parts, let size):
        start += size
        come.append(
          Envelope(
            number: number,
            components: parts.isEmpty ? nil : parts.map { component($0) },
            answers: answers.map { answering($0) }))
      }
    }
  }

  private func component(_ part: SocketFrame.Part) -> Any {
    switch part {
    case .data(let data): data
    case .port(let signature): SocketPort(complete(signature))
    }
  }

  private func answering(_ signature: SocketSignature) -> SocketPort {
    let complete = complete(signature)
    if let answers, answers.signature == complete, answers.isValid { return answers }
    let new = SocketPort(complete)
    answers = new
    return new
  }

  /// Completes an address without a machine: the address is on the sender's machine.
  private func complete(_ signature: SocketSignature) -> SocketSignature {
    var address = [UInt8](signature.address)
    let size = address.count
    address.withUnsafeMutableBytes { raw in
      if let base = raw.baseAddress { csb_socket_complete(descriptor, base, size) }
    }
    return SocketSignature(
      family: signature.family, type: signature.type, protocol: signature.protocol,
      address: Data(address))
  }
}
