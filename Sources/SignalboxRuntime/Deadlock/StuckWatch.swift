// StuckWatch — calls a function when every worker may be waiting.
//
// Any thread can signal a semaphore, so a pool whose workers all wait may yet continue. So
// the result is a report, never a trap. The modules above, which know queues, write the
// report; this is only their hook.
//
// Touching    `watcher`: any thread, atomically; set once.
// Ordering    SK1  the setter's store (releasing) → a look (acquiring): it sees the
//                  watcher initialized.

import CSignalbox
import Synchronization

package enum StuckWatch {
  package typealias Watcher = @convention(c) () -> Void

  /// The function's address; 0 for none.
  static let watcher = Atomic<UInt>(0)

  /// Whether waits without an owner are examined too.
  static var isOn: Bool {
    watcher.load(ordering: .relaxed) != 0  // order: relaxed; affects later waits only.
  }

  /// From now on, calls `look` now and then on workers that have waited for long.
  package static func begin(_ look: @escaping Watcher) {
    // SAFETY: a function's address, converted back by `look`.
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
