// WaitTally — counts how often threads fall asleep on one object.

import SignalboxDiagnostics
package import SignalboxRuntime

/// Counts sleeps from its creation until ``end()``.
package final class WaitTally: Sendable {
  private let counts = Guarded<[UInt64: Int]>([:])
  private let subscription = Guarded(0)

  package init(of object: AnyObject) {
    // SAFETY: the address is only compared.
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    let counts = counts
    let id = ProbeSubscribers.shared.subscribe(to: [.waitBegan]) { event in
      if event.object == address { counts.withValue { $0[event.detail, default: 0] += 1 } }
    }
    subscription.withValue { $0 = id }
  }

  package func end() { ProbeSubscribers.shared.unsubscribe(subscription.current) }

  /// Returns how often a thread fell asleep for this reason.
  package func count(_ reason: WaitReason) -> Int {
    counts.current[UInt64(reason.rawValue)] ?? 0
  }
}
