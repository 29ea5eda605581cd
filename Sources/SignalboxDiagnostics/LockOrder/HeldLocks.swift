// HeldLocks — the locks that a thread holds, and where it took them, while locks are
// checked.
//
// A thread gets a list when it takes its first lock under a check, and frees the list when the
// thread ends. The list does not contain locks that were taken before the check began. If another
// thread unlocks a lock (which is reported), the lock remains in the list until `LockOrder` next
// checks the list.
//
// Touching    everything: its own thread, while it does not wait; other threads while it
//             waits, under its record's lock. `isBusy`: its own thread.
// Invariants  I1  while the thread's wait is published the list does not change: locks that
//                 the thread takes then (in a probe's handler or a search) are not
//                 recorded.

import CSignalbox
import SignalboxRuntime

/// A lock that a thread holds.
struct HeldLock: Sendable {
  /// The lock's address, for comparisons only.
  let address: UInt
  /// The lock's node in the graph of orders, when it was taken.
  let lock: LockGraph.Lock
  /// The lock's name in reports.
  let text: String
  let trace: Backtrace
  /// How many more times the thread has taken the lock.
  var depth = 0
}

final class HeldLocks {
  /// Innermost last.
  private(set) var list: [HeldLock] = []
  /// The check during which the list was written.
  private var session: UInt32 = 0
  private var isBusy = false

  // MARK: The thread's own

  static var ofThisThread: HeldLocks? {
    csb_thread_self().pointee.held_locks.map {
      // SAFETY: the thread's storage holds a reference until the thread ends.
      Unmanaged<HeldLocks>.fromOpaque($0).takeUnretainedValue()
    }
  }

  static func makeForThisThread() -> HeldLocks {
    if let own = ofThisThread { return own }
    let new = HeldLocks()
    // SAFETY: released by `releaseOwn`.
    csb_thread_self().pointee.held_locks = Unmanaged.passRetained(new).toOpaque()
    ThreadEnd.arrange()
    return new
  }

  /// Releases the list when the thread ends.
  static func releaseOwn() {
    guard let raw = csb_thread_self().pointee.held_locks else { return }
    csb_thread_self().pointee.held_locks = nil
    Unmanaged<HeldLocks>.fromOpaque(raw).release()  // SAFETY: retained by `makeForThisThread`.
  }

  // MARK: Changes

  /// Runs `body`, unless the thread is already in this function (a lock's description may
  /// take locks) or in a wait.
  func change(during session: UInt32, _ body: () -> Void) {
    if isBusy || HeldLocks.isWaiting { return }
    isBusy = true
    defer { isBusy = false }
    if self.session != session {
      list.removeAll()
      self.session = session
    }
    body()
  }

  private static var isWaiting: Bool {
    guard csb_thread_self().pointee.wait_record != nil else { return false }
    return WaitRecord.ofThisThread.isPublished
  }

  /// The lock at this address, if it is in the list.
  func lock(at address: UInt) -> LockGraph.Lock? { index(of: address).map { list[$0].lock } }

  /// Records that the thread has taken a lock that it already holds.
  func takeAgain(_ address: UInt) {
    if let index = index(of: address) { list[index].depth += 1 }
  }

  func append(_ lock: HeldLock) { list.append(lock) }

  func forget(_ address: UInt) { list.removeAll { $0.address == address } }

  /// Records that the thread unlocks the lock. Returns whether it held the lock.
  func leave(_ address: UInt) -> Bool {
    guard let index = index(of: address) else { return false }
    list[index].depth -= 1
    if list[index].depth < 0 { list.remove(at: index) }
    return true
  }

  private func index(of address: UInt) -> Int? { list.lastIndex { $0.address == address } }
}
