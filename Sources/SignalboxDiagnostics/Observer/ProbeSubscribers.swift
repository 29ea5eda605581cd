// ProbeSubscribers — the handlers that receive probe events.
//
// Touching    everything: under `lock`.

import CSignalbox
package import SignalboxRuntime

/// The handlers that receive probe events, and the kinds each one subscribes
/// to.
package final class ProbeSubscribers: Sendable {
  package static let shared = ProbeSubscribers()

  package typealias Handler = @Sendable (ProbeEvent) -> Void

  private struct Subscriber {
    let id: Int
    let kinds: UInt64
    let mask: UInt32
    let handler: Handler
  }

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var subscribers: [Subscriber] = []
  private nonisolated(unsafe) var lastID = 0
  private nonisolated(unsafe) var recorded = Recorded([])

  /// The recorded kinds: as bits that are distinct for each kind, and as bits
  /// of the mask.
  struct Recorded {
    let kinds: UInt32
    let mask: UInt32

    init(_ kinds: [ProbeEvent.Kind]) {
      self.kinds = kinds.reduce(0) { $0 | $1.recordedBit }
      mask = kinds.reduce(0) { $0 | $1.bit }
    }
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Calls `handler` at every event of `kinds`, on the thread on which the
  /// event happens. The handler must not block.
  package func subscribe(
    to kinds: [ProbeEvent.Kind], _ handler: @escaping Handler
  ) -> Int {
    Observation.begin()
    let mask = kinds.reduce(UInt32(0)) { $0 | $1.bit }
    let set = kinds.reduce(UInt64(0)) { $0 | 1 << UInt64($1.rawValue) }
    return lock.withLock {
      lastID += 1
      subscribers.append(Subscriber(id: lastID, kinds: set, mask: mask, handler: handler))
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

  /// Makes the kinds that `wanted` returns the recorded ones. Calls `wanted`
  /// under the lock, so when several threads change what is recorded, the last
  /// call sees every change.
  func record(_ wanted: () -> Recorded) {
    lock.withLock {
      recorded = wanted()
      setMasks()
    }
  }

  /// Call in a forked child, on its only thread.
  func stopRecordingAfterFork() {
    recorded = Recorded([])
    csb_probe_masks_set(csb_probe_heard_load(), 0, csb_probe_heard_load())
  }

  /// The caller holds `lock`.
  private func setMasks() {
    let heard = subscribers.reduce(UInt32(0)) { $0 | $1.mask }
    csb_probe_masks_set(heard, recorded.kinds, heard | recorded.mask)
  }

  func deliver(_ event: ProbeEvent) {
    let all = lock.withLock { subscribers }
    for subscriber in all where subscriber.kinds & 1 << UInt64(event.kind.rawValue) != 0 {
      subscriber.handler(event)
    }
  }
}
