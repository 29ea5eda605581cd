// ProbeSubscribers — the handlers that receive probe events.
//
// Touching    everything: under `lock`.

import CSignalbox
package import SignalboxRuntime

/// One engine event.
package struct ProbeEvent: Sendable {
  package let kind: EventKind
  /// The number of the thread on which the event happened.
  package let thread: UInt32
  /// The queue, worker or resource: an address to compare, not to dereference.
  package let object: UInt
  /// The item, or a number that belongs to the kind (a timer's lateness in
  /// nanoseconds, a wait's reason).
  package let detail: UInt64
}

/// The handlers that receive probe events, and the kinds each one subscribes
/// to.
package final class ProbeSubscribers: Sendable {
  package static let shared = ProbeSubscribers()

  package typealias Handler = @Sendable (ProbeEvent) -> Void

  private struct Subscriber {
    let id: Int
    /// The bits of the kinds to which it subscribes.
    let kinds: UInt32
    let handler: Handler
  }

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var subscribers: [Subscriber] = []
  private nonisolated(unsafe) var lastID = 0
  /// The bits of the recorded kinds.
  private nonisolated(unsafe) var recorded: UInt32 = 0

  // SAFETY: see above.
  /// The bits of the kinds that the measurement of times wants.
  private nonisolated(unsafe) var measured: UInt32 = 0
  /// The bits of the kinds that handlers want. Written under `lock`; a thread that reads an old
  /// value may miss an event.
  private let subscribed = Relaxed<UInt32>(0)

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Calls `handler` at every event of `kinds`, on the thread on which the
  /// event happens. The handler must not block.
  package func subscribe(
    to kinds: [EventKind], _ handler: @escaping Handler
  ) -> Int {
    Observation.begin()
    let kinds = EventKind.bits(of: kinds)
    return lock.withLock {
      lastID += 1
      subscribers.append(Subscriber(id: lastID, kinds: kinds, handler: handler))
      setMasks()
      return lastID
    }
  }

  /// The handler may still be called for events that are already in progress.
  package func unsubscribe(_ id: Int) {
    let old = lock.withLock {
      let old = subscribers
      subscribers.removeAll { $0.id == id }
      setMasks()
      return old
    }
    // Release the handlers only here, after the unlock.
    _ = old
  }

  /// From now on, records the kinds whose bits `wanted` returns. Calls `wanted`
  /// under the lock, so when several threads change what is recorded, the last
  /// call sees every change.
  func record(_ wanted: () -> UInt32) {
    lock.withLock {
      recorded = wanted()
      setMasks()
    }
  }

  /// Begins or ends the measurement of times: from now on, the observer passes events of
  /// `kinds` to it.
  func measure(_ kinds: [EventKind], _ change: () -> Void) {
    Observation.begin()
    lock.withLock {
      measured = EventKind.bits(of: kinds)
      change()
      setMasks()
    }
  }

  /// Whether a handler subscribes to `kind`. The mask alone does not tell, because it also
  /// contains the kinds that are measured.
  @inline(__always)
  func areSubscribed(to kind: EventKind) -> Bool { subscribed.load() & kind.bit != 0 }

  /// Call in a forked child, on its only thread.
  func stopRecordingAfterFork() {
    recorded = 0
    csb_probe_masks_set(csb_probe_heard_load(), 0)
  }

  /// The caller holds `lock`.
  private func setMasks() {
    let wanted = subscribers.reduce(0) { $0 | $1.kinds }
    subscribed.store(wanted)
    csb_probe_masks_set(wanted | measured, recorded)
  }

  func deliver(_ event: ProbeEvent) {
    let all = lock.withLock { subscribers }
    for subscriber in all where subscriber.kinds & event.kind.bit != 0 {
      subscriber.handler(event)
    }
  }
}
