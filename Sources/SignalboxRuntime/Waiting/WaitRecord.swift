// WaitRecord — what one thread waits for at this moment, for reports.
//
// One a thread, made at its first slow wait, kept in a list of all until the
// thread ends. Publishing takes the record's own lock, which nobody else wants
// unless a report is being made.
//
// Touching    every field but `epoch`: under `lock`. `epoch`: written under
//             `lock`, read by anyone.
// Ordering    WR1  publish's and withdraw's releasing store of `epoch` → an
//                  acquiring load: a reader that sees the epoch sees the record.
// Invariants  I1  `epoch` is odd exactly while the thread waits; it never
//                 repeats, so two equal readings mean one and the same wait.

import CSignalbox
package import Synchronization

package final class WaitRecord: Sendable {
  /// The thread's number.
  package let thread: UInt32
  package let kernelID: Int32
  package let epoch = Atomic<UInt64>(0)

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var reason: WaitReason = .test
  private nonisolated(unsafe) var resource: WaitResource = .named("nothing")
  private nonisolated(unsafe) var deadline: Deadline = .never

  private init() {
    thread = csb_thread_number()
    kernelID = csb_thread_kernel_id()
  }

  package func publish(reason: WaitReason, resource: WaitResource, deadline: Deadline) {
    lock.lock()
    self.reason = reason
    self.resource = resource
    self.deadline = deadline
    advance()
    lock.unlock()
  }

  package func withdraw() {
    lock.lock()
    advance()
    lock.unlock()
  }

  private func advance() {
    // order: relaxed; only the lock's holder writes it.
    let old = epoch.load(ordering: .relaxed)
    epoch.store(old + 1, ordering: .releasing)  // order: releasing, WR1
  }

  /// A wait as it stood when it was looked at.
  package struct Snapshot: Sendable {
    package let thread: UInt32
    package let kernelID: Int32
    package let epoch: UInt64
    package let reason: WaitReason
    package let resource: String
    /// 0 where nobody owns the resource.
    package let owner: UInt32
    package let isTimed: Bool
  }

  /// The wait under way, or nil.
  package var current: Snapshot? {
    lock.withLock {
      let now = epoch.load(ordering: .acquiring)  // order: acquiring, WR1
      guard now % 2 == 1 else { return nil }
      return Snapshot(
        thread: thread, kernelID: kernelID, epoch: now, reason: reason,
        resource: resource.description, owner: resource.ownerNumber,
        isTimed: !deadline.isNever)
    }
  }

  /// This thread's record, made on first asking.
  package static var ofThisThread: WaitRecord {
    if let raw = csb_thread_self().pointee.wait_record {
      // SAFETY: the list of all records holds a reference until the thread ends.
      return Unmanaged<WaitRecord>.fromOpaque(raw).takeUnretainedValue()
    }
    return makeForThisThread()
  }

  @inline(never)
  private static func makeForThisThread() -> WaitRecord {
    let record = WaitRecord()
    WaitRegistry.shared.add(record)
    // SAFETY: unretained; the registry keeps the record until the thread ends.
    csb_thread_self().pointee.wait_record = Unmanaged.passUnretained(record).toOpaque()
    ThreadEnd.arrange()
    return record
  }
}

/// All threads' wait records.
package final class WaitRegistry: Sendable {
  package static let shared = WaitRegistry()

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var records: [UInt32: WaitRecord] = [:]

  func add(_ record: WaitRecord) {
    lock.withLock { records[record.thread] = record }
  }

  func remove(_ thread: UInt32) {
    let removed = lock.withLock { records.removeValue(forKey: thread) }
    // Freed here, after the lock is left.
    _ = removed
  }

  /// Every wait under way, in the order of thread numbers.
  package var waits: [WaitRecord.Snapshot] {
    let all = lock.withLock { Array(records.values) }
    return all.compactMap(\.current).sorted { $0.thread < $1.thread }
  }
}

/// What happens to a thread's storage when the thread ends.
package enum ThreadEnd {
  /// Has this thread's storage given back at its end. Call again freely.
  package static func arrange() {
    // ENOMEM or EAGAIN only mean that this thread's storage is not returned.
    _ = csb_thread_at_exit {
      let storage = csb_thread_self()
      NodeCache.releaseAll()
      if storage.pointee.wait_record != nil {
        storage.pointee.wait_record = nil
        WaitRegistry.shared.remove(storage.pointee.number)
      }
    }
  }
}
