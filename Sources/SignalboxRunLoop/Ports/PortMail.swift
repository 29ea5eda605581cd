// PortMail — a port as its loops see it: its delegate and the modes it is scheduled in.
//
// Touching    `port`, `kept`, `dropped`, `wasLost`, `added`: under the item's lock.
// Invariants  I1  a port that is in a loop stays alive: `kept` is the port while the item has
//                 memberships, and nil otherwise.
//             I2  a loop's `addedPorts` contains the port while `added` names the loop.

import SignalboxRuntime

class PortMail: PortSource, @unchecked Sendable {  // SAFETY: see Touching.
  private weak var port: Port?
  private(set) final var kept: Port?
  private var dropped: Port?
  private weak var delegate: (any PortDelegate)?
  /// Whether a message was dropped because there was no delegate.
  private var wasLost = false
  /// The modes to which loops have added the port.
  final var added: [Adding] = []

  init() {
    super.init(
      order: 0,
      context: ItemContext(nil, retain: nil, release: nil, copyDescription: nil),
      callBacks: SourceCallBacks())
  }

  final func belongs(to port: Port) { lock.withLock { self.port = port } }

  /// Accepts a message, and waits until there is room for it.
  ///
  /// - Returns: whether the port accepted it in time and while it was valid.
  func put(_ envelope: Envelope, until limit: PortLimit) -> Bool { false }

  /// The loops that may now wait in one of the port's modes. Requires the lock.
  final var loopsThatMayWait: [CFRunLoop] {
    memberships.filter { $0.loop.mayWait(in: $0.mode) }.map(\.loop)
  }

  // MARK: The delegate

  final var currentDelegate: (any PortDelegate)? {
    get { lock.withLock { delegate } }
    set { lock.withLock { delegate = newValue } }
  }

  /// The delegate and the receiving port of the next message. Requires the lock.
  final var handler: (delegate: (any PortDelegate)?, port: Port?) { (delegate, kept) }

  /// Hands a message to the delegate, or drops it if there is none. Call on a loop's thread.
  final func deliver(
    _ envelope: Envelope, to handler: (delegate: (any PortDelegate)?, port: Port?)
  ) {
    guard let delegate = handler.delegate else { return lose(handler.port) }
    delegate.handle(envelope.message(to: handler.port))
  }

  @inline(never)
  private func lose(_ port: Port?) {
    lock.lock()
    let isFirst = !wasLost
    wasLost = true
    lock.unlock()
    guard isFirst, let port else { return }
    warn(
      "a message to \(port) was dropped, because the port has no delegate. Further messages are "
        + "dropped, without a warning, until it has one. Set the delegate before the port is added to "
        + "a run loop, and keep a reference to the delegate: the port does not.")
  }

  // MARK: Entering and leaving modes

  final override func note(entered: [Membership], left: [Membership]) {
    if memberships.isEmpty {
      // `tell` may not have released the previous one yet.
      if let port = kept { dropped = port }
      kept = nil
    } else if kept == nil {
      kept = port
    }
  }

  final override func tell() {
    lock.lock()
    let old = dropped
    dropped = nil
    lock.unlock()
    super.tell()
    withExtendedLifetime(old) {}
  }
}
