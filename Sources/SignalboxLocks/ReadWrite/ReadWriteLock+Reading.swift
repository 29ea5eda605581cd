// ReadWriteLock+Reading — the slow path of a reader that finds the gate shut or idle.
//
// A reader that must wait marks its slot. The writer that leaves turns the mark into `held`; or
// the reader finds the gate open by itself.

import CSignalbox
import SignalboxRuntime

extension ReadWriteLock {
  /// Acquires the lock for reading, and waits for it if necessary.
  @inline(never)
  func enterSlow(until deadline: Deadline) -> Bool {
    if enterAgain() { return true }
    spinWhileShut()
    let thread = csb_thread_number()
    let since = Clock.uptime.now
    let slot = ReaderBlocks.freeSlot()
    var isWaiting = false
    while true {
      if !gate.seemsShut() {
        if isWaiting {
          if slot.enterAgain(key) { return true }
        } else {
          slot.enter(key)
        }
        if gate.open() {
          slot.hold(key)
          return true
        }
        // The gate was shut in the meantime.
        leave(slot)
        isWaiting = false
      }
      LockMisuse.check(state.owner, thread, deadline, resource, since: since)
      if !isWaiting {
        slot.wait(key)
        isWaiting = true
      }
      guard let seen = gate.announceReader() else { continue }
      if slot.isGranted(key) { return true }
      let outcome = Parking.wait(
        while: wordAddress(gate.word), is: seen, until: deadline, for: .readLock,
        on: readerResource, since: since)
      if slot.isGranted(key) { return true }
      if outcome == .timedOut { return slot.giveUp(key) }
    }
  }

  @inline(never)
  func tryEnterSlow() -> Bool {
    if enterAgain() { return true }
    if gate.seemsShut() { return false }
    let slot = ReaderBlocks.freeSlot()
    slot.enter(key)
    guard gate.open() else {
      leave(slot)
      return false
    }
    slot.hold(key)
    return true
  }

  /// Lets a thread in that reads already, even if a writer waits: that writer waits for this
  /// thread.
  private func enterAgain() -> Bool {
    guard let slot = ReaderSlot.held(key) else { return false }
    slot.depth += 1
    return true
  }

  /// Spins for a moment: most writers leave sooner than a thread can fall asleep and wake.
  /// Readers that sleep come first, however.
  private func spinWhileShut() {
    guard gate.seemsShut(), LockSpin.isWorthwhile else { return }
    let end = Clock.uptime.now + LockSpin.length
    var pause = LockSpin.shortestPause
    repeat {
      for _ in 0..<pause { csb_spin_hint() }
      pause = min(2 * pause, LockSpin.longestPause)
      if !gate.seemsShut() { return }
    } while Clock.uptime.now < end
  }

  /// The resource of a waiting reader: it depends on the writer, unless the reader has been let
  /// in.
  private var readerResource: WaitResource {
    let lock = resource
    return WaitResource(
      object: lock.object, isTaken: true, describe: lock.describe,
      need: { raw, thread in
        // SAFETY: a thread that waits for a lock holds a reference to it.
        let owner = Unmanaged<ReadWriteLock>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.owner)
        // In this order: the reader waited while that writer was there.
        return owner != 0 && ReaderBlocks.isWaiting(thread, toReadUnder: UInt(bitPattern: raw))
          ? .thread(owner) : .nobody
      }, place: lock.place,
      name: { raw in
        // SAFETY: a thread that waits for a lock holds a reference to it.
        Unmanaged<ReadWriteLock>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.name)
      })
  }

  // MARK: Leaving

  /// Releases a lock that was acquired more than once, or whose slot is not the most recent one.
  @inline(never)
  func unlockSlow() {
    guard let slot = ReaderSlot.held(key) else { wasNotHeld() }
    if slot.depth > 0 { slot.depth -= 1 } else { leave(slot) }
  }
}
