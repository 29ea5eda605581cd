// SocketOutlet — the sending side of a socket port: one connection, opened by the first message
// and reopened after the other side has closed it.
//
// Nothing arrives on the connection: answers go to a port that belongs to the sender.
//
// Touching    `connection`, `isEnded`: under `lock`. Only the holder of `turn` writes, opens
//             and closes the connection. When the port ends, `end` shuts the connection down under
//             the lock, while its number cannot yet belong to another file.

import CSignalbox
import FoundationEssentials
import SignalboxDispatch
import SignalboxRuntime

final class SocketOutlet: @unchecked Sendable {  // SAFETY: see Touching.
  private let signature: SocketSignature
  private let turn = DispatchSemaphore(value: 1)
  private let lock = EngineLock()
  private var connection: Int32 = -1
  private var isEnded = false

  init(_ signature: SocketSignature) { self.signature = signature }

  deinit { if connection >= 0 { csb_io_close(connection) } }

  /// The connection, or -1 if there is none.
  var socket: Int32 { lock.withLock { connection } }

  /// Makes senders give up. Call from any thread, any number of times.
  func end() {
    lock.lock()
    isEnded = true
    if connection >= 0 { csb_socket_shut(connection) }
    lock.unlock()
    // If a sender holds the turn, it closes the connection.
    guard turn.wait(timeout: DispatchTime(uptimeNanoseconds: 1)) == .success else { return }
    close()
    turn.signal()
  }

  /// Sends all of the bytes. If it sends only some, it closes the connection.
  ///
  /// - Returns: whether it sent all in time.
  func send(_ bytes: [UInt8], until deadline: Deadline) -> Bool {
    let limit =
      deadline.isNever
      ? DispatchTime.distantFuture
      : DispatchTime(uptimeNanoseconds: max(1, deadline.nanoseconds))
    guard turn.wait(timeout: limit) == .success else { return false }
    defer {
      if lock.withLock({ isEnded }) { close() }
      turn.signal()
    }
    // The other side may have closed the existing connection in the meantime; if so, send the
    // message on a new one.
    if socket >= 0 && isOpen {
      switch write(bytes, until: deadline) {
      case .sent: return true
      case .late: return false
      case .broken: break
      }
    }
    close()
    return connect(until: deadline) && write(bytes, until: deadline) == .sent
  }

  // MARK: Called with the turn

  /// Whether the other side still has the connection open, as far as this side knows.
  private var isOpen: Bool {
    var byte: UInt8 = 0
    return csb_io_read(socket, &byte, 1, -1, Int32(CSB_IO_SOCKET)) == -Int(EAGAIN)
  }

  private func close() {
    lock.lock()
    let old = connection
    connection = -1
    lock.unlock()
    if old >= 0 { csb_io_close(old) }
  }

  private func connect(until deadline: Deadline) -> Bool {
    var isPending: Int32 = 0
    let new = signature.address.withUnsafeBytes { address in
      csb_socket_connect(
        signature.family, signature.type, signature.protocol,
        address.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!, address.count, &isPending)
    }
    guard new >= 0 else { return false }
    lock.lock()
    let isLate = isEnded
    if !isLate { connection = new }
    lock.unlock()
    if isLate {
      csb_io_close(new)
      return false
    }
    if isPending == 0 { return true }
    if waitToWrite(until: deadline) && csb_socket_error(new) == 0 { return true }
    close()
    return false
  }

  private enum Outcome { case sent, late, broken }

  private func write(_ bytes: [UInt8], until deadline: Deadline) -> Outcome {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        var part = csb_io_part(bytes: raw.baseAddress! + sent, size: raw.count - sent)
        return csb_io_write(socket, &part, 1, -1, Int32(CSB_IO_SOCKET))
      }
      if count > 0 {
        sent += count
      } else if count != -Int(EAGAIN) || lock.withLock({ isEnded }) {
        close()
        return .broken
      } else if !waitToWrite(until: deadline) {
        // The other side cannot use part of a message.
        if sent > 0 { close() }
        return .late
      }
    }
    return .sent
  }

  /// Waits until the connection is writable or broken.
  ///
  /// - Returns: whether that happened in time.
  private func waitToWrite(until deadline: Deadline) -> Bool {
    guard let sleeper = DescriptorSleeper(forOneWait: ()) else {
      warn(
        "a message was not sent by a socket port: the process has no descriptor left (ulimit -n) "
          + "with which to wait for the connection.")
      return false
    }
    defer { sleeper.close() }
    let token = DescriptorSleeper.firstToken
    guard sleeper.add(socket, token: token, bits: DescriptorSleeper.writable) == 0 else {
      return false
    }
    return withUnsafeTemporaryAllocation(of: DescriptorSleeper.Event.self, capacity: 1) { events in
      while !lock.withLock({ isEnded }) {
        let found = Parking.wait(
          in: sleeper, until: deadline.nanoseconds, into: events, for: .condition, on: resource)
        if found.count > 0 { return true }
        if deadline.hasPassed { return false }
      }
      return false
    }
  }

  private var resource: WaitResource {
    // SAFETY: the waiting thread holds a reference.
    WaitResource(
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { _ in "room in the connection of a socket port" },
      view: OutsideView("room in the connection of a socket port", label: .whole))
  }
}
