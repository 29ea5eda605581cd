// ProbeSubscribers — who is told of which steps.
//
// Touching    everything: under `lock`.

import CSignalbox

/// Who is told of which steps.
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

  /// Which steps are recorded, each with a bit of its own; and their bits in the mask.
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

  /// Calls `handler` at every step of `kinds`, on the thread that takes the
  /// step. The handler must not wait.
  package func subscribe(
    to kinds: [ProbeEvent.Kind], _ handler: @escaping Handler
  ) -> Int {
    Fork.joinRuntime()
    let mask = kinds.reduce(UInt32(0)) { $0 | $1.bit }
    let set = kinds.reduce(UInt64(0)) { $0 | 1 << UInt64($1.rawValue) }
    return lock.withLock {
      lastID += 1
      subscribers.append(Subscriber(id: lastID, kinds: set, mask: mask, handler: handler))
      setMasks()
      return lastID
    }
  }

  /// The handler may still be called for steps already under way.
  package func unsubscribe(_ id: Int) {
    let old = lock.withLock {
      let old = subscribers
      subscribers.removeAll { $0.id == id }
      setMasks()
      return old
    }
    // Handlers are freed here, after the lock is left.
    _ = old
  }

  /// Has those steps recorded from now on that `wanted` says, and no others. It is asked under the
  /// lock: of several who have changed what is wanted, the last one here sees what all did.
  func record(_ wanted: () -> Recorded) {
    lock.withLock {
      recorded = wanted()
      setMasks()
    }
  }

  /// In a forked child, by its only thread.
  func stopRecordingAfterFork() {
    recorded = Recorded([])
    csb_probe_masks_set(csb_probe_heard_load(), 0, csb_probe_heard_load())
  }

  /// Under the lock.
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
