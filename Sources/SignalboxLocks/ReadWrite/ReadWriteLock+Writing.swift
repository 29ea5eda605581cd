// ReadWriteLock+Writing — acquires the lock for one thread alone, and releases it.
//
// A writer acquires the lock's word, which keeps other writers out; then it shuts the gate, which
// keeps new readers out; then it waits for the readers inside.

import CSignalbox
import SignalboxRuntime

extension ReadWriteLock {
  func takeForWriting(until deadline: Deadline) -> Bool {
    let thread = csb_thread_number()
    guard state.take(thread) || waitForTurn(thread, deadline) else { return false }
    return !gate.shut() || waitForReaders(thread, deadline)
  }

  func tryTakeForWriting() -> Bool {
    let thread = csb_thread_number()
    // Look first. If a reader holds the lock, shutting the gate would only make readers wait.
    if gate.seemsOpen() && ReaderBlocks.reader(of: key) != 0 { return false }
    guard state.take(thread) else { return false }
    if gate.shut() && ReaderBlocks.reader(of: key) != 0 {
      leaveToReaders(thread)
      return false
    }
    return true
  }

  // MARK: Waiting

  @inline(never)
  private func waitForTurn(_ thread: UInt32, _ deadline: Deadline) -> Bool {
    checkUpgrade(deadline, nil)
    return state.takeSlow(thread, until: deadline, for: .writeLock, on: resource)
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
          leaveToReaders(thread)
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
      })
  }

  // MARK: Leaving

  @inline(__always)
  func leaveWriting(_ thread: UInt32) {
    guard gate.leave() else { return leaveToReaders(thread) }
    let old = state.leave()
    if old != thread { state.endLeaving(old) }
  }

  /// Releases the lock and opens the gate, because readers wait or are inside.
  @inline(never)
  private func leaveToReaders(_ thread: UInt32) {
    gate.leaveToReaders(key)
    let old = state.leave()
    // Both steps need only addresses.
    Parking.wake(wordAddress(gate.word), count: .max)
    if old != thread { state.endLeaving(old) }
  }
}
