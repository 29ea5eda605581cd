// WaitRecord+Search — what a search for deadlocks reads of a waiting thread.
//
// Touching    a record: under its lock.

import CSignalbox
package import SignalboxRuntime
import Synchronization

/// The remaining budget of a search.
struct SearchEffort {
  /// How many items the search may still read.
  var items = WaitNeed.longestLook
  /// Whether the search skipped a record because another thread was using it.
  var metHeldLock = false

  /// Attempts at a record's lock: enough for a running holder to release it.
  static var looksAtALock: Int { 200 }
}

extension WaitNeed {
  /// The maximum number of items that one search reads. While a search reads a thread's
  /// items, that thread cannot return from its wait: at worst for some tenths of a
  /// millisecond.
  package static var longestLook: Int { 16_384 }

  /// Whether both name the same thread or the same object.
  func isSame(as other: WaitNeed) -> Bool {
    switch (self, other) {
    case (.nobody, .nobody): true
    case (.thread(let a), .thread(let b)): a == b
    case (.each(let a, _), .each(let b, _)): a == b
    default: false
    }
  }
}

extension WaitRecord {
  /// A wait that only other threads can end.
  struct Block {
    let epoch: UInt64
    /// When the wait began, on the uptime clock.
    let since: UInt64
    let need: WaitNeed
    let release: WaitRelease
  }

  /// The current wait, if it has no deadline and is not over.
  func block(_ effort: inout SearchEffort) -> Block? {
    guard seize(&effort) else { return nil }
    defer { lock.unlock() }
    guard isBlocked else { return nil }
    // order: relaxed; written under the lock.
    let epoch = epoch.load(ordering: .relaxed)
    return Block(
      epoch: epoch, since: wait.since, need: wait.resource.need(of: thread),
      release: wait.resource.release)
  }

  /// How the waiting thread holds up `object`; nil if it does not, or if it is not in the
  /// wait with the number `epoch`.
  func hold(
    on object: UnsafeRawPointer, _ test: WaitNeed.Test, in epoch: UInt64? = nil,
    _ effort: inout SearchEffort
  ) -> WaitHold? {
    guard seize(&effort) else { return nil }
    defer { lock.unlock() }
    guard isBlocked, let stack = wait.stack else { return nil }
    // order: relaxed; written under the lock.
    if let epoch, epoch != self.epoch.load(ordering: .relaxed) { return nil }
    return test(object, stack, &effort.items)
  }

  /// Takes the lock for a search. A search never waits for it, because the searching
  /// thread's own wait may end meanwhile, and the holder may have low priority.
  private func seize(_ effort: inout SearchEffort) -> Bool {
    for _ in 0..<SearchEffort.looksAtALock {
      if lock.tryLock() { return true }
      csb_spin_hint()
    }
    effort.metHeldLock = true
    return false
  }

  /// Whether the thread waits without a deadline, and the wait has not been ended.
  package var isBlockedWithoutEnd: Bool { lock.withLock { isBlocked } }

  /// The same. The caller holds the lock.
  private var isBlocked: Bool {
    guard isWaiting, wait.deadline.isNever, let word = wait.word else { return false }
    return wait.resource.isTaken || csb_look_at_word(word) == wait.expected
  }

  /// What became of the wait that began at a given time.
  enum Fate {
    case lasts
    /// The thread is awake: it is about to begin the wait, checks whether the wait is
    /// over, or has left it.
    case unclear
    /// The thread is in another wait.
    case over
  }

  func fate(ofWaitSince since: UInt64) -> Fate {
    lock.withLock { !isWaiting ? .unclear : wait.since == since ? .lasts : .over }
  }
}
