// WaitRegistry — all threads' wait records: a list through the records.
//
// Touching    the list: under `lock`, which is held for a few instructions a
//             record at most. Nothing is allocated or freed meanwhile.

import Synchronization

package final class WaitRegistry: Sendable {
  package static let shared = WaitRegistry()

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`. Each record in the list is retained.
  private nonisolated(unsafe) var list = IntrusiveList<WaitRecords>()
  /// The number of the process's first thread, once it has a record; 0 before.
  private let main = Atomic<UInt32>(0)

  func add(_ record: WaitRecord) {
    // order: relaxed; who must know comes by the lock.
    if record.isMain { main.store(record.thread, ordering: .relaxed) }
    let new = Unmanaged.passRetained(record)  // SAFETY: released by `remove`.
    lock.withLock { list.prepend(new) }
  }

  /// Takes the record of the calling thread out.
  func remove(_ record: Unmanaged<WaitRecord>) {
    lock.withLock { _ = list.remove(record) }
    record.release()
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: none of the threads that these belong to is here, and the
  /// one that is makes itself a new one.
  func forgetAll() {
    list = IntrusiveList()
    main.store(0, ordering: .relaxed)  // order: relaxed; no other thread is there.
  }

  /// The number of the process's first thread, if it has ever waited; else 0.
  package var mainThread: UInt32 {
    main.load(ordering: .relaxed)  // order: relaxed; as in `add`.
  }

  /// The records of all threads that have ever waited and not ended.
  package var records: [WaitRecord] {
    // SAFETY: in the list, so retained.
    lock.snapshot(of: list) { $0.takeUnretainedValue() }
  }

  /// Every wait under way, in the order of thread numbers.
  package var waits: [WaitRecord.Snapshot] {
    records.compactMap(\.current).sorted { $0.thread < $1.thread }
  }
}

private enum WaitRecords: ListLinkage {
  static func links(of record: Unmanaged<WaitRecord>) -> ListLinks<Unmanaged<WaitRecord>>.Pointer {
    record._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.links) { $0 } }
  }
}
