// ThreadRegistry — all threads that have a record: started and not ended, or adopted.
//
// The list is intrusive: its links are in the records.
//
// Touching    the list, `main`: under `lock`, which is held for at most a few instructions
//             per record. While it is held, nothing is allocated or freed.
//             `pending`: any thread, atomically.
// Ordering    TG1  a thread's releasing subtraction from `pending` → the acquiring
//                  load of the thread that waits for the last one: it sees all that
//                  they did.

import CSignalbox
import Synchronization

package final class ThreadRegistry: Sendable {
  package static let shared = ThreadRegistry()

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`. Each record in the list is retained.
  private nonisolated(unsafe) var list = IntrusiveList<ThreadRecords>()
  /// The record of the process's first thread. Other threads may ask for it before that
  /// thread does. Retained.
  private nonisolated(unsafe) var main: Unmanaged<ThreadRecord>?
  /// How many threads the process waits for before it exits.
  private let pending = Atomic<UInt32>(0)
  /// Whether a thread was ever started. Any thread may set it; one thread learns that it was the
  /// first to do so.
  private let hasStarted = Relaxed(false)

  // MARK: The list

  package func add(_ record: ThreadRecord) {
    let new = Unmanaged.passRetained(record)  // SAFETY: released by `remove`.
    // order: relaxed; the increment publishes no other memory.
    if record.mustFinish { pending.wrappingAdd(1, ordering: .relaxed) }
    lock.withLock { list.prepend(new) }
  }

  /// - Returns: whether the record is that of the process's first thread.
  @discardableResult
  func remove(_ record: ThreadRecord) -> Bool {
    lock.lock()
    let old = Unmanaged.passUnretained(record)  // SAFETY: the list holds a reference.
    let isMain = main?.toOpaque() == old.toOpaque()
    list.remove(old)
    lock.unlock()
    if record.mustFinish { countOut() }
    old.release()  // SAFETY: the list's reference; the caller has one more.
    return isMain
  }

  /// The records of all threads that are alive or about to start.
  package var records: [ThreadRecord] {
    // SAFETY: in the list, so retained.
    lock.snapshot(of: list) { $0.takeUnretainedValue() }
  }

  // MARK: The first thread

  /// The record of the process's first thread, for any thread.
  ///
  /// - Parameter make: creates a record with its handle. The new record may be dropped.
  package func mainRecord(_ make: () -> ThreadRecord) -> ThreadRecord {
    if let known = knownMain { return known }
    let new = make()
    let isFirst = lock.withLock {
      guard main == nil else { return false }
      main = Unmanaged.passRetained(new)  // SAFETY: for as long as the process lives.
      return true
    }
    if isFirst { return new }
    // SAFETY: the object that was created with it, which no other code knows.
    new.handle?.object.release()
    new.handle = nil
    return knownMain ?? new
  }

  private var knownMain: ThreadRecord? {
    lock.lock()
    defer { lock.unlock() }
    return main?.takeUnretainedValue()  // SAFETY: retained above.
  }

  // MARK: Counts

  /// Records that Signalbox is about to start a thread.
  ///
  /// - Returns: whether the thread is the first one.
  package func noteStart() -> Bool {
    !hasStarted.load() && hasStarted.setFirst()
  }

  package var hasStartedAny: Bool { hasStarted.load() }

  /// Waits until no other thread that must finish is left. It does not wait for threads that are
  /// in this function too, because they would wait for each other.
  ///
  /// - Returns: whether none is left.
  package func waitForPending(until deadline: Deadline, on resource: WaitResource) -> Bool {
    let isOne = countOutThisThread()
    // order: relaxed; the increment publishes no other memory.
    defer { if isOne { pending.wrappingAdd(1, ordering: .relaxed) } }
    while true {
      let left = pending.load(ordering: .acquiring)  // order: acquiring, TG1
      if left == 0 { return true }
      if deadline.hasPassed { return false }
      _ = Parking.wait(
        while: wordAddress(pending), is: left, until: deadline, for: .join, on: resource)
    }
  }

  /// From now on, the process does not wait for this thread before it exits.
  ///
  /// - Returns: whether the process would have waited for the thread.
  @discardableResult
  package func countOutThisThread() -> Bool {
    guard ThreadRecord.ofThisThread?.mustFinish == true else { return false }
    countOut()
    return true
  }

  private func countOut() {
    pending.wrappingSubtract(1, ordering: .releasing)  // order: releasing, TG1
    Parking.wake(wordAddress(pending), count: .max)
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: the child's only thread is its first thread, whichever thread it was in the
  /// parent.
  func forgetAll() {
    pending.store(0, ordering: .relaxed)  // order: relaxed; no other thread exists.
    list = IntrusiveList()
    main = nil
    guard let raw = csb_thread_self().pointee.record else { return }
    // SAFETY: the storage's reference.
    let survivor = Unmanaged<ThreadRecord>.fromOpaque(raw)
    survivor._withUnsafeGuaranteedRef { $0.becameFirst() }
    // SAFETY: the list's reference is still counted; one more for `main`.
    _ = survivor.retain()
    list.prepend(survivor)
    main = survivor
  }
}

private enum ThreadRecords: ListLinkage {
  static func links(
    of record: Unmanaged<ThreadRecord>
  ) -> ListLinks<Unmanaged<ThreadRecord>>.Pointer {
    record._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.links) { $0 } }
  }
}

extension ThreadRecord {
  /// In a forked child, called on its only thread.
  fileprivate func becameFirst() {
    mustFinish = false
    // Another thread may have held the lock, and would never release it.
    attributesAfterFork { $0.kernelID = csb_process_id() }
  }
}
