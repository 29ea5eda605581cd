// ReadWriteLock+Reading — the slow path of a reader that finds the gate shut or idle.
//
// A reader that must wait spins for a moment, marks its slot, sleeps until the writer leaves, and
// tries again. If another writer has acquired the lock first, the reader sleeps once more, and that
// writer turns the mark into `held` when it leaves.

import CSignalbox
import SignalboxRuntime

extension ReadWriteLock {
  /// Acquires the lock for reading, and waits for it if necessary.
  @inline(never)
  func enterSlow(until deadline: Deadline) -> Bool {
    if enterAgain() { return true }
    let slot = ReaderBlocks.freeSlot()
    if openIdle(slot) { return true }
    let thread = csb_thread_number()
    let since = Clock.uptime.now
    spin(slot)
    var isWaiting = false
    var first: UInt32?
    while true {
      if !gate.seemsShut() {
        if isWaiting {
          if slot.enterAgain(key) { return true }
        } else {
          slot.enter(key)
        }
        if openGate(slot) { return true }
        // The gate was shut in the meantime.
        isWaiting = false
      }
      LockMisuse.check(gate.owner, thread, deadline, resource, since: since)
      if !isWaiting {
        slot.wait(key)
        isWaiting = true
      }
      guard let seen = gate.announceReader(since: first) else { continue }
      first = first ?? seen
      if slot.isGranted(key) { return true }
      let outcome = Parking.wait(
        while: gate.readersAddress, is: seen, until: deadline, for: .readLock,
        on: readerResource, since: since)
      if slot.isGranted(key) { return true }
      if outcome == .timedOut { return slot.giveUp(key) }
      spin(slot)
    }
  }

  /// Spins for a moment, at most until the gate is no longer shut or the reader is in. If the
  /// thread's last wait was recent, it pauses first. It does not pause if it holds another lock for
  /// reading, because other threads may wait for that lock.
  private func spin(_ slot: ReaderSlot) {
    if slot.isTheOnlyOne { LockSpin.pause(since: slot.lastWait) { slot.isGranted(key) } }
    _ = LockSpin.spin { !gate.seemsShut() || slot.isGranted(key) }
    slot.lastWait = Clock.uptime.now
  }

  /// Enters through a gate that is not shut. If the gate is idle, this reader opens it.
  private func openIdle(_ slot: ReaderSlot) -> Bool {
    if gate.seemsShut() { return false }
    slot.enter(key)
    return openGate(slot)
  }

  /// The second half of entering. The slot says `entering`; it is empty again if this fails.
  private func openGate(_ slot: ReaderSlot) -> Bool {
    guard gate.open() else {
      leave(slot)
      return false
    }
    slot.hold(key)
    return true
  }

  @inline(never)
  func tryEnterSlow() -> Bool {
    enterAgain() || openIdle(ReaderBlocks.freeSlot())
  }

  /// Admits a thread that is already reading, even if a writer waits: that writer waits for
  /// this thread.
  private func enterAgain() -> Bool {
    guard let slot = ReaderSlot.held(key) else { return false }
    slot.depth += 1
    return true
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
        // Read the owner first, then whether the reader waits: so the reader waited while that
        // writer was inside.
        return owner != 0 && ReaderBlocks.isWaiting(thread, toReadUnder: UInt(bitPattern: raw))
          ? .thread(owner) : .nobody
      }, place: lock.place,
      name: { raw in
        // SAFETY: a thread that waits for a lock holds a reference to it.
        Unmanaged<ReadWriteLock>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.name)
      },
      view: OutsideView(
        lock.view.title, label: lock.view.label, holder: .reader(gate.writersAddress)))
  }

  // MARK: Leaving

  /// Releases a lock that was acquired more than once, or whose slot is not the most recent one.
  @inline(never)
  func unlockSlow() {
    guard let slot = ReaderSlot.held(key) else { wasNotHeld() }
    if slot.depth > 0 { slot.depth -= 1 } else { leave(slot) }
  }
}
