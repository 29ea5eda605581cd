// WaitRegistry — all threads' wait records: a list through the records.
//
// Touching    the list: under `lock`, which is held for a few instructions a
//             record at most. Nothing is allocated or freed meanwhile.

import Synchronization

package final class WaitRegistry: Sendable {
  package static let shared = WaitRegistry()

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`. Each record in the list is retained.
  private nonisolated(unsafe) var first: Unmanaged<WaitRecord>?
  private nonisolated(unsafe) var count = 0
  /// The number of the process's first thread, once it has a record; 0 before.
  private let main = Atomic<UInt32>(0)

  func add(_ record: WaitRecord) {
    // order: relaxed; who must know comes by the lock.
    if record.isMain { main.store(record.thread, ordering: .relaxed) }
    let new = Unmanaged.passRetained(record)  // SAFETY: released by `remove`.
    lock.lock()
    record.next = first
    first?._withUnsafeGuaranteedRef { $0.previous = new }
    first = new
    count += 1
    lock.unlock()
  }

  /// Takes the record of the calling thread out.
  func remove(_ record: Unmanaged<WaitRecord>) {
    lock.lock()
    let (next, previous) = record._withUnsafeGuaranteedRef { ($0.next, $0.previous) }
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.next = next }
    } else {
      first = next
    }
    next?._withUnsafeGuaranteedRef { $0.previous = previous }
    count -= 1
    lock.unlock()
    record.release()
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: none of the threads that these belong to is here, and the
  /// one that is makes itself a new one.
  func forgetAll() {
    first = nil
    count = 0
    main.store(0, ordering: .relaxed)  // order: relaxed; no other thread is there.
  }

  /// The number of the process's first thread, if it has ever waited; else 0.
  package var mainThread: UInt32 {
    main.load(ordering: .relaxed)  // order: relaxed; as in `add`.
  }

  /// The records of all threads that have ever waited and not ended.
  package var records: [WaitRecord] {
    var all: [WaitRecord] = []
    // Room is made outside the lock, for some that come meanwhile too.
    var room = 16
    while true {
      all.reserveCapacity(room)
      lock.lock()
      let wanted = count
      if wanted <= room {
        var next = first
        while let record = next {
          let record = record.takeUnretainedValue()  // SAFETY: in the list, so retained.
          all.append(record)
          next = record.next
        }
        lock.unlock()
        return all
      }
      lock.unlock()
      room = wanted + 16
    }
  }

  /// Every wait under way, in the order of thread numbers.
  package var waits: [WaitRecord.Snapshot] {
    records.compactMap(\.current).sorted { $0.thread < $1.thread }
  }
}
