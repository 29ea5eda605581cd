// SocketInbox — the receiving side of a socket port: a listening socket and the senders'
// connections.
//
// The port has an epoll set for these sockets, and its loops watch only the set's descriptor. The
// port reads only after all earlier messages are handled; until then the system makes the senders
// wait.
//
// Touching    `waiting`, `first`: under the item's lock. Everything else that changes: by the
//             thread that holds `reading`.
// Invariants  I1  if the port ends while a thread reads, that thread closes the sockets.

import CSignalbox
import FoundationEssentials
import SignalboxRuntime

final class SocketInbox: PortMail, @unchecked Sendable {  // SAFETY: see Touching.
  let signature: SocketSignature
  let listener: Int32
  let outlet: SocketOutlet

  private var waiting: [Envelope] = []
  private var first = 0
  /// Whether a message waits. Written under the item's lock. May be out of date; the list decides.
  private let isFilled = SingleWriter(false)

  private let reading = EngineLock()
  private let set: SocketSet?
  private var connections: [Int32: SocketConnection] = [:]
  /// A spare descriptor. If no other descriptor is left, it is closed for a moment, so that a
  /// connection can be accepted and refused.
  private var reserve: Int32 = -1
  private var wasFaulty = false

  /// - Parameter listener: a listening socket, which the port owns from now on, or nil for a
  ///   port of another process.
  init(_ signature: SocketSignature, listener: Int32?) {
    self.signature = signature
    self.listener = listener ?? -1
    outlet = SocketOutlet(signature)
    set = listener == nil ? nil : SocketSet()
    super.init()
    guard let set, let listener else { return }
    _ = set.sleeper.add(
      listener, token: SocketSet.token(listener), bits: DescriptorSleeper.readable)
    reserve = csb_socket_double(listener)
    lock.withLock { useDescriptor(set.sleeper.set) }
  }

  override var isReady: Bool { isFilled.load() }

  override var takesWhatIsThere: Bool { true }

  // MARK: Sending

  override func put(_ envelope: Envelope, until limit: PortLimit) -> Bool {
    guard isValid else { return false }
    guard let bytes = SocketFrame.bytes(of: envelope, to: words) else {
      warn(
        "a message of more than \(SocketFrame.limit) bytes was not sent to \(words): split it into "
          + "several messages.")
      return false
    }
    return outlet.send(bytes, until: limit.deadline)
  }

  // MARK: Receiving

  override func perform(in mode: LoopMode) -> Bool {
    guard lock.withLock({ isMeant(in: mode) }) else { return false }
    if !isReady { receive() }
    lock.lock()
    guard isMeant(in: mode), let envelope = take() else {
      lock.unlock()
      return false
    }
    let handler = self.handler
    lock.unlock()
    mode.loop.tell(.port, mode)
    deliver(envelope, to: handler)
    return true
  }

  private func take() -> Envelope? {
    guard first < waiting.count else { return nil }
    let envelope = waiting[first]
    first += 1
    if first == waiting.count {
      waiting = []
      first = 0
      isFilled.store(false)
    }
    return envelope
  }

  /// Reads what has arrived, unless another thread is reading.
  private func receive() {
    guard let set, reading.tryLock() else { return }
    var come: [Envelope] = []
    if isValid {
      for token in set.ready {
        let descriptor = SocketSet.descriptor(token)
        if descriptor == listener {
          acceptAll(set)
        } else if let connection = connections[descriptor] {
          read(connection, into: &come)
        }
      }
    }
    reading.unlockBeforeLook()
    if !isValid { return closeAll() }
    if come.isEmpty { return }
    lock.lock()
    waiting += come
    isFilled.store(true)
    // This thread handles one message. No descriptor tells other loops about further messages.
    let loops = come.count > 1 && memberships.count > 1 ? loopsThatMayWait : []
    lock.unlock()
    for loop in loops where !loop.isCurrent { loop.wakeUp() }
  }

  private func acceptAll(_ set: SocketSet) {
    while true {
      let new = csb_socket_accept(listener)
      if new == -EMFILE || new == -ENFILE {
        refuse()
        return
      }
      // EAGAIN means that no connection waits. Every other error belongs to one connection, and
      // ends with it.
      guard new >= 0 else { return }
      guard
        set.sleeper.add(new, token: SocketSet.token(new), bits: DescriptorSleeper.readable) == 0
      else {
        csb_io_close(new)
        continue
      }
      connections[new] = SocketConnection(new)
    }
  }

  /// Accepts a connection and closes it, so that the listening socket does not stay ready forever.
  private func refuse() {
    warnOnce("refused a connection, since the process is out of descriptors (ulimit -n)")
    if reserve >= 0 { csb_io_close(reserve) }
    let refused = csb_socket_accept(listener)
    if refused >= 0 { csb_io_close(refused) }
    reserve = csb_socket_double(listener)
  }

  private func read(_ connection: SocketConnection, into come: inout [Envelope]) {
    let fault: String?
    switch connection.read(into: &come) {
    case .open: return
    case .ended(let reason): fault = reason
    }
    if let fault { warnOnce("closed a connection that sent \(fault)") }
    connections[connection.descriptor] = nil
    csb_io_close(connection.descriptor)
  }

  private func warnOnce(_ what: String) {
    if wasFaulty { return }
    wasFaulty = true
    warn("\(words) has \(what). It continues; this is reported once.")
  }

  // MARK: The end

  override func wasInvalidated() {
    outlet.end()
    lock.lock()
    let old = waiting
    waiting = []
    first = 0
    isFilled.store(false)
    lock.unlock()
    withExtendedLifetime(old) {}
    closeAll()
  }

  private func closeAll() {
    guard reading.tryLock() else { return }
    let old = connections
    connections = [:]
    for descriptor in old.keys { csb_io_close(descriptor) }
    if reserve >= 0 { csb_io_close(reserve) }
    reserve = -1
    if let set, !set.isClosed {
      set.close()
      csb_io_close(listener)
    }
    reading.unlockBeforeLook()
    withExtendedLifetime(old) {}
  }

  override var words: String {
    "<SocketPort: \(listener >= 0 ? "local" : "remote"), \(isValid ? "valid" : "invalid")>"
  }
}
