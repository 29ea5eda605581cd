// HeldLocks — which locks a thread holds, and where it took them; while locks are
// checked.
//
// One a thread, made when it takes its first lock under a check, freed at its end. A
// lock that was taken before the check began is not in it. One that another thread
// left (which is said and done) stands in it until someone looks: see `LockOrder`.
//
// Touching    everything: its own thread, while it does not wait; others while it
//             waits, under its record's lock. `isBusy`: its own thread.
// Invariants  I1  while the thread's wait is published the list stands still: what the
//                 thread itself does then (a probe's handler, a search) is not noted.

import CSignalbox

/// A lock that a thread holds.
struct HeldLock: Sendable {
  /// The lock's address, to be compared.
  let address: UInt
  /// What the lock is in the order, at the time it was taken.
  let lock: LockGraph.Lock
  /// As reports name it.
  let text: String
  /// Where it was taken.
  let trace: Backtrace
  /// How often the thread has taken it again.
  var depth = 0
}

final class HeldLocks {
  /// The innermost last.
  private(set) var list: [HeldLock] = []
  /// During which check the list was written.
  private var session: UInt32 = 0
  private var isBusy = false

  // MARK: A thread's own

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

  /// At the thread's end.
  static func releaseOwn() {
    guard let raw = csb_thread_self().pointee.held_locks else { return }
    csb_thread_self().pointee.held_locks = nil
    Unmanaged<HeldLocks>.fromOpaque(raw).release()  // SAFETY: retained by `makeForThisThread`.
  }

  // MARK: Changes

  /// Runs `body` unless the thread is in here already (a lock's own description may
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

  /// The lock at this address, if it stands in the list.
  func lock(at address: UInt) -> LockGraph.Lock? { place(of: address).map { list[$0].lock } }

  /// The thread has taken a lock that it holds.
  func takeAgain(_ address: UInt) {
    if let index = place(of: address) { list[index].depth += 1 }
  }

  func append(_ lock: HeldLock) { list.append(lock) }

  func forget(_ address: UInt) { list.removeAll { $0.address == address } }

  /// Whether the thread held the lock.
  func leave(_ address: UInt) -> Bool {
    guard let index = place(of: address) else { return false }
    list[index].depth -= 1
    if list[index].depth < 0 { list.remove(at: index) }
    return true
  }

  private func place(of address: UInt) -> Int? { list.lastIndex { $0.address == address } }
}
