// Gate — stays closed until it is opened once; tasks wait at it without a thread.

/// Neither an actor nor an `AsyncStream`, which is itself under test.
package final class Gate: Sendable {
  private enum State {
    case closed([CheckedContinuation<Void, Never>])
    case open
  }
  private let state = Locked(State.closed([]))

  package init() {}

  package func open() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      defer { state = .open }
      guard case .closed(let waiting) = state else { return [] }
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Cancellation does not end the wait.
  package func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state -> Bool in
        guard case .closed(let waiting) = state else { return true }
        state = .closed(waiting + [continuation])
        return false
      }
      if isOpen { continuation.resume() }
    }
  }
}
