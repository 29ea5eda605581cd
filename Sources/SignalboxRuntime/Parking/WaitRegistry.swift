// WaitRegistry — the wait records of all threads, in an intrusive list.
//
// Touching    the list: under `lock`, which is held for at most a few instructions
//             per record. While it is held, nothing is allocated or freed.

import CSignalbox

package final class WaitRegistry: Sendable {
  package static let shared = WaitRegistry()

  private init() { OutsideTable.describeWaits() }

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`. Each record in the list is retained.
  private nonisolated(unsafe) var list = IntrusiveList<WaitRecords>()
  /// The number of the process's first thread once it has a record; 0 before. That thread writes
  /// it; readers that depend on it take the lock.
  private let main = SingleWriter<UInt32>(0)

  func add(_ record: WaitRecord) {
    if record.isMain { main.store(record.thread) }
    let new = Unmanaged.passRetained(record)  // SAFETY: released by `remove`.
    lock.withLock {
      list.prepend(new)
      csb_outside_thread_enter(record.seen)
    }
  }

  /// Removes the record of the calling thread.
  func remove(_ record: Unmanaged<WaitRecord>) {
    lock.withLock {
      record._withUnsafeGuaranteedRef { csb_outside_thread_leave($0.seen) }
      list.remove(record)
    }
    record.release()
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: forgets all records. Their threads do not exist here, and the child's only
  /// thread makes a new record.
  func forgetAll() {
    list = IntrusiveList()
    csb_outside_threads_forget()
    main.store(0)
  }

  /// The number of the process's first thread if it has ever waited; otherwise 0.
  package var mainThread: UInt32 { main.load() }

  /// The records of the workers, and of all other threads that have waited, until they end.
  package var records: [WaitRecord] {
    // SAFETY: in the list, so retained.
    lock.snapshot(of: list) { $0.takeUnretainedValue() }
  }
}

private enum WaitRecords: ListLinkage {
  static func links(of record: Unmanaged<WaitRecord>) -> ListLinks<Unmanaged<WaitRecord>>.Pointer {
    record._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.links) { $0 } }
  }
}
