// PortMail — a port as its loops see it: who handles what comes, and where it is scheduled.
//
// Touching    `port`, `kept`, `dropped`, `wasLost`, `added`: under the item's lock.
// Invariants  I1  a port that is in a loop stays alive: `kept` is the port while the item has
//                 places, and nil else.
//             I2  a loop's `addedPorts` has the port while `added` names the loop.

import SignalboxRuntime

class PortMail: PortSource, @unchecked Sendable {  // SAFETY: see Touching.
  private weak var port: Port?
  private(set) final var kept: Port?
  private var dropped: Port?
  /// Who handles the messages.
  private weak var delegate: (any PortDelegate)?
  /// Whether a message found no delegate.
  private var wasLost = false
  /// To which modes it was added by loops.
  final var added: [Adding] = []

  init() {
    super.init(
      order: 0,
      context: ItemContext(nil, retain: nil, release: nil, copyDescription: nil),
      callBacks: SourceCallBacks())
  }

  final func belongs(to port: Port) { lock.withLock { self.port = port } }

  /// Takes a message, or waits until there is room for it.
  ///
  /// - Returns: whether it did: in time, and before the port was invalid.
  func put(_ envelope: Envelope, until limit: PortLimit) -> Bool { false }

  /// With the lock: the loops that may wait in a mode of the port's now.
  final var loopsThatMayWait: [CFRunLoop] {
    places.filter { $0.loop.mayWait(in: $0.mode) }.map(\.loop)
  }

  // MARK: The delegate

  final var currentDelegate: (any PortDelegate)? {
    get { lock.withLock { delegate } }
    set { lock.withLock { delegate = newValue } }
  }

  /// With the lock: who handles a message, and the port to which it came.
  final var handler: (delegate: (any PortDelegate)?, port: Port?) { (delegate, kept) }

  /// On a loop's thread: hands a message to the delegate. Without one it is dropped.
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
    complain(
      "a message to \(port) was dropped, since the port has no delegate; so are all others that "
        + "come without one. Set the delegate before the port is added to a run loop, and keep it: "
        + "the port does not.")
  }

  // MARK: Coming and going

  final override func note(entered: [Place], left: [Place]) {
    if places.isEmpty {
      // What was dropped before may not have been told yet.
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
