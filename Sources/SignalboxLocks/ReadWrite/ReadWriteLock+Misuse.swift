// ReadWriteLock+Misuse — reports and traps for wrong uses of the lock.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime

extension ReadWriteLock {
  /// Reports a thread that is about to wait for the write lock while it reads.
  func checkUpgrade(_ deadline: Deadline, _ since: UInt64?) {
    guard deadline.isNever, ReaderSlot.held(key) != nil else { return }
    DeadlockReport.tell(
      ofItself: resource, since: since,
      advice: "To write what one reads, unlock first, then lock for writing and look again.")
  }

  @inline(never)
  func wasNotHeld() -> Never {
    let thread = ThreadName.of(csb_thread_number())
    clientBug(
      "\(description) was unlocked by \(thread), which does not hold it; \(holders). Unlock it on "
        + "the thread that locked it, once for each time.")
  }

  /// Traps if the lock is freed while it is held.
  @inline(__always)
  func checkIsFree() {
    if gate.seemsShut() || gate.seemsOpen() { checkHolders() }
  }

  @inline(never)
  private func checkHolders() {
    guard gate.seemsShut() || ReaderBlocks.reader(of: key) != 0 else { return }
    clientBug(
      "\(description) was released while \(holders): unlock it before the last reference goes "
        + "away.")
  }

  private var holders: String {
    let owner = gate.owner
    if owner != 0 { return "\(ThreadName.of(owner)) holds it for writing" }
    let reader = ReaderBlocks.reader(of: key)
    return reader == 0 ? "nobody holds it" : "\(ThreadName.of(reader)) holds it for reading"
  }
}
