// StuckWatch — whether anyone wants to know when every worker waits.
//
// A semaphore can be signalled by anyone, so a pool whose workers all wait may
// yet go on: this is a report, never a trap. What it says is made above, where
// queues are known; here is only the place it hooks into.
//
// Touching    `watcher`: any thread, atomically; set once.
// Ordering    SK1  the setter's store (releasing) → a look (acquiring): it sees the
//                  watcher made.

import CSignalbox
import Synchronization

package enum StuckWatch {
  package typealias Watcher = @convention(c) () -> Void

  /// The function's address; 0 for none.
  static let watcher = Atomic<UInt>(0)

  /// Whether waits that nobody in particular ends are looked at too.
  static var isOn: Bool {
    watcher.load(ordering: .relaxed) != 0  // order: relaxed; decides about later waits only.
  }

  /// Calls `look` now and then on workers that have waited for long.
  package static func begin(_ look: @escaping Watcher) {
    // SAFETY: a function's address, turned back by `look`.
    let address = unsafeBitCast(look, to: UInt.self)
    watcher.store(address, ordering: .releasing)  // order: releasing, SK1
  }

  static func look() {
    // order: acquiring, SK1
    let address = watcher.load(ordering: .acquiring)
    guard address != 0, Worker.ofThisThread != nil else { return }
    // SAFETY: `begin` stored a function of this type.
    unsafeBitCast(address, to: Watcher.self)()
  }
}

extension Engine {
  /// Whether no worker runs anything and no timer is pending.
  package var isQuiet: Bool {
    guard driver.pendingCount == 0 else { return false }
    var next: Pool? = pool
    while let pool = next {
      if pool.runsAnything { return false }
      next = pool.lower
    }
    return true
  }
}

extension Pool {
  fileprivate var runsAnything: Bool {
    busy.load(ordering: .relaxed) > 0  // order: relaxed; for reports.
  }
}
