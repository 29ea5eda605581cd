// ReadWriteLock+Writing — acquires the lock for one thread alone, and releases it.
//
// A writer shuts the gate, which keeps other writers and new readers out; then it waits for the
// readers inside.

import CSignalbox
import SignalboxRuntime

extension ReadWriteLock {
  func takeForWriting(until deadline: Deadline) -> Bool {
    let thread = csb_thread_number()
    return switch gate.shut(thread) {
    case .idle: true
    case .open: waitForReaders(thread, deadline)
    case .shut: waitForTurn(thread, deadline)
    }
  }

  func tryTakeForWriting() -> Bool {
    // Look first. If a reader holds the lock, shutting the gate would only make readers wait.
    if gate.seemsOpen() && ReaderBlocks.reader(of: key) != 0 { return false }
    let thread = csb_thread_number()
    let found = gate.shut(thread)
    if found == .open && ReaderBlocks.reader(of: key) != 0 {
      leaveSlow(readersAreIn: true)
      return false
    }
    return found != .shut
  }

  // MARK: Waiting

  /// Waits until the gate is no longer shut by another writer, shuts it, and waits for the readers.
  @inline(never)
  private func waitForTurn(_ thread: UInt32, _ deadline: Deadline) -> Bool {
    checkUpgrade(deadline, nil)
    var found = ReaderGate.Found.shut
    // If others sleep, the writer has not left for a while, and will not leave soon.
    _ = LockSpin.spin {
      if gate.seemsAwaited() { return true }
      found = gate.shut(thread)
      return found != .shut
    }
    let since = Clock.uptime.now
    var isOver = false
    while found == .shut {
      if isOver { return false }
      if let (seen, owner) = gate.announceNextWriter() {
        LockMisuse.check(owner, thread, deadline, resource, since: since)
        let outcome = Parking.wait(
          while: gate.writersAddress, is: seen, until: deadline, for: .writeLock, on: resource,
          since: since)
        // Try once more: the writer may have left as the deadline passed.
        isOver = outcome == .timedOut
      }
      found = gate.shut(thread, hasSlept: true)
    }
    return found == .idle || waitForReaders(thread, deadline)
  }

  /// Waits for the readers one after the other. The gate is shut, so no reader fills a slot
  /// that this loop has passed.
  @inline(never)
  private func waitForReaders(_ thread: UInt32, _ deadline: Deadline) -> Bool {
    var since: UInt64?
    var next = ReaderBlocks.slot(reading: key)
    while let slot = next {
      // A reader most likely runs, and leaves sooner than this thread can fall asleep and wake.
      if !LockSpin.spin(until: { !slot.isReading(key) }) {
        let start = since ?? Clock.uptime.now
        since = start
        guard sleepUntilLeft(slot, deadline, since: start) else {
          leaveSlow(readersAreIn: true)
          return false
        }
      }
      next = ReaderBlocks.slot(reading: key, after: slot)
    }
    return true
  }

  /// Returns false if the deadline passes first.
  private func sleepUntilLeft(
    _ slot: ReaderSlot, _ deadline: Deadline, since: UInt64
  ) -> Bool {
    checkUpgrade(deadline, since)
    while true {
      let seen = gate.announceWriter()
      guard slot.isReading(key) else { return true }
      LockMisuse.check(slot.thread, 0, deadline, resource, since: since)
      let outcome = Parking.wait(
        while: wordAddress(gate.departures), is: seen, until: deadline, for: .writeLock,
        on: writerResource, since: since)
      // Look once more: the reader may have left as the deadline passed.
      if outcome == .timedOut { return !slot.isReading(key) }
    }
  }

  /// The resource of a writer that has shut the gate: it depends on each reader.
  private var writerResource: WaitResource {
    let lock = resource
    return WaitResource(
      object: lock.object, isTaken: true, describe: lock.describe,
      need: { raw, _ in
        .each(of: raw) { lock, stack, _ in stack.reads(lock) ? .shares : nil }
      }, place: lock.place,
      name: { raw in
        // SAFETY: a thread that waits for a lock holds a reference to it.
        Unmanaged<ReadWriteLock>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.name)
      }, view: OutsideView(lock.view.title, label: lock.view.label, holder: .readers))
  }

  // MARK: Leaving

  @inline(__always)
  func leaveWriting(_ thread: UInt32) {
    if !gate.leave(thread) { leaveSlow(readersAreIn: false) }
  }

  /// Releases the gate when other threads wait, or when this thread has given up waiting for the
  /// readers inside.
  @inline(never)
  private func leaveSlow(readersAreIn: Bool) {
    let (readers, writers) = (gate.readersAddress, gate.writersAddress)
    let old = gate.leaveSlow(key, readersAreIn: readersAreIn)
    // Both wakes need only the addresses.
    if old & ReaderGate.readersWaitBit != 0 { Parking.wake(readers, count: .max) }
    if old & ReaderGate.awaitedBit != 0 { Parking.wake(writers) }
  }
}
