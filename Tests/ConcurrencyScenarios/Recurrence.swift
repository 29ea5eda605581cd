// Recurrence — an event that happens again and again, and for which tasks wait.

package final class Recurrence: Sendable {
  private let current = Locked(Gate())

  package init() {}

  /// A gate that the next occurrence opens.
  package var next: Gate { current.withLock { $0 } }

  /// Says that the event happens now.
  package func occur() {
    let gate = current.withLock { gate -> Gate in
      defer { gate = Gate() }
      return gate
    }
    gate.open()
  }
}
