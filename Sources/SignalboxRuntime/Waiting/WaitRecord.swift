// WaitRecord — what one thread waits for at this moment, for reports and for the
// search for deadlocks.
//
// One a thread, made at its first slow wait, kept in a list of all until the
// thread ends. Publishing takes the record's own lock, which nobody else wants
// unless a report is being made or a wait lasts long.
//
// Touching    every field but `epoch`: under `lock`. `epoch`: written under
//             `lock`, read by anyone. `next`, `previous`: the registry's.
// Ordering    WR1  publish's and withdraw's releasing store of `epoch` → an
//                  acquiring load: a reader that sees the epoch sees the record.
// Invariants  I1  `epoch` is odd exactly while the thread waits; it never
//                 repeats, so two equal readings mean one and the same wait.
//             I2  while another thread holds `lock` and `epoch` is odd, the
//                 thread does not come back from its wait: its stack, what that
//                 holds a reference to, and the lists of queues that it alone
//                 may take items from stay as they are.

import CSignalbox
package import Synchronization

package final class WaitRecord: Sendable {
  /// The thread's number.
  package let thread: UInt32
  package let kernelID: Int32
  /// Whether the thread is the process's first.
  package let isMain: Bool
  /// Whether the thread is a worker of the pool.
  package let isWorker: Bool
  package let epoch = Atomic<UInt64>(0)
  // SAFETY: read and written under the lock of `DeadlockReport`.
  nonisolated(unsafe) var told: UInt64 = 0
  /// The same for reports of cycles that nobody can end.
  // SAFETY: as above.
  nonisolated(unsafe) var toldAsFinal: UInt64 = 0

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var wait = Wait.none

  // SAFETY: read and written under the registry's lock.
  @exclusivity(unchecked) nonisolated(unsafe) var links = ListLinks<Unmanaged<WaitRecord>>()

  /// A wait, as the waiting thread tells it.
  private struct Wait {
    var reason: WaitReason
    var resource: WaitResource
    var deadline: Deadline
    /// The word it sleeps on, if it sleeps on one, and the value of that word
    /// while the wait is not over.
    var word: UnsafeRawPointer?
    var expected: UInt32
    var stack: ThreadStack?
    var since: UInt64

    static var none: Wait {
      Wait(
        reason: .test, resource: .named("nothing"), deadline: .never, word: nil, expected: 0,
        stack: nil, since: 0)
    }
  }

  private init() {
    thread = csb_thread_number()
    kernelID = csb_thread_kernel_id()
    isMain = csb_thread_is_main() != 0
    isWorker = Worker.ofThisThread != nil
  }

  // MARK: The thread's own side

  /// - Parameters:
  ///   - word: what the thread is about to sleep on, nil if that is not a word.
  ///   - expected: the word's value as long as the wait is not over.
  ///   - since: when the thread began to wait, by the uptime clock; nil: just now.
  package func publish(
    reason: WaitReason, resource: WaitResource, deadline: Deadline,
    word: UnsafeRawPointer? = nil, expected: UInt32 = 0, since: UInt64? = nil
  ) {
    let since = since ?? Clock.uptime.now
    let stack = ThreadStack(thread: thread, isMain: isMain)
    let new = Wait(
      reason: reason, resource: resource, deadline: deadline, word: word, expected: expected,
      stack: stack, since: since)
    lock.lock()
    let old = wait
    wait = new
    advance()
    lock.unlock()
    // The resource of the last wait is let go here, after the lock is left.
    withExtendedLifetime(old) {}
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

  /// Under the lock: whether the thread waits.
  private var isWaiting: Bool {
    epoch.load(ordering: .acquiring) % 2 == 1  // order: acquiring, WR1
  }

  /// For the thread itself: whether it is between `publish` and `withdraw`.
  var isPublished: Bool {
    epoch.load(ordering: .relaxed) % 2 == 1  // order: relaxed; its own.
  }

  // MARK: Reports

  /// A wait as it stood when it was looked at.
  package struct Snapshot: Sendable {
    package let thread: UInt32
    package let kernelID: Int32
    package let epoch: UInt64
    package let reason: WaitReason
    package let resource: String
    /// The resource's address: to compare, not to follow.
    package let object: UInt
    /// Where the thread is: "on the queue …"; empty if nowhere.
    package let place: String
    /// 0 where nobody owns the resource.
    package let owner: UInt32
    package let isTimed: Bool
    /// Whether the thread is a worker of the pool.
    package let isWorker: Bool
    /// How long it has lasted.
    package let length: WaitLength
  }

  /// The locks that the thread holds, as far as they are checked and it waits.
  var heldLocks: [HeldLock] {
    lock.withLock { isWaiting ? wait.stack?.heldLocks ?? [] : [] }
  }

  /// The wait under way, or nil.
  package var current: Snapshot? {
    lock.withLock {
      guard isWaiting else { return nil }
      var owner: UInt32 = 0
      if case .thread(let number) = wait.resource.need(of: thread) { owner = number }
      return Snapshot(
        thread: thread, kernelID: kernelID,
        epoch: epoch.load(ordering: .relaxed),  // order: relaxed; written under the lock.
        reason: wait.reason, resource: wait.resource.description,
        object: UInt(bitPattern: wait.resource.object),
        place: wait.stack.flatMap { wait.resource.place?($0) } ?? "", owner: owner,
        isTimed: !wait.deadline.isNever, isWorker: isWorker,
        length: WaitLength(since: wait.since))
    }
  }

  // MARK: Searches

  /// A wait that only others can end.
  struct Block {
    let epoch: UInt64
    /// When the thread began to wait, by the uptime clock.
    let since: UInt64
    let need: WaitNeed
    let release: WaitRelease
  }

  /// The wait under way, if it has no deadline and is not over.
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

  /// What became of the wait that began at this time.
  enum Fate {
    case lasts
    /// The thread is awake: it is about to begin the wait, looks whether that is over, or is past
    /// it.
    case unclear
    /// The thread is in another wait.
    case over
  }

  func fate(ofWaitSince since: UInt64) -> Fate {
    lock.withLock { !isWaiting ? .unclear : wait.since == since ? .lasts : .over }
  }

  /// Whether the thread waits without a deadline, and nobody has ended that wait.
  package var isBlockedWithoutEnd: Bool { lock.withLock { isBlocked } }

  /// How the thread holds up `object`, if it waits: in the wait of `epoch`, if
  /// one is given.
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

  /// Takes the lock for a search, which never waits for it: its own wait may be
  /// over meanwhile, and the holder be of low priority.
  private func seize(_ effort: inout SearchEffort) -> Bool {
    for _ in 0..<SearchEffort.looksAtALock {
      if lock.tryLock() { return true }
      csb_spin_hint()
    }
    effort.metHeldLock = true
    return false
  }

  /// What `body` makes of the thread's stack, if it waits, with or without a
  /// deadline.
  package func whileWaiting<T>(_ body: (ThreadStack, _ epoch: UInt64) -> T) -> T? {
    lock.withLock {
      guard isWaiting, let stack = wait.stack else { return nil }
      // order: relaxed; written under the lock.
      return body(stack, epoch.load(ordering: .relaxed))
    }
  }

  /// Under the lock: whether the thread waits without a deadline, and nobody has
  /// ended that wait yet.
  private var isBlocked: Bool {
    guard isWaiting, wait.deadline.isNever, let word = wait.word else { return false }
    return wait.resource.isTaken || csb_look_at_word(word) == wait.expected
  }

  // MARK: Each thread's own

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
    // First: a fork from now on waits for the registry, if it is just being made.
    Fork.joinRuntime()
    let record = WaitRecord()
    WaitRegistry.shared.add(record)
    // SAFETY: unretained; the registry keeps the record until the thread ends.
    csb_thread_self().pointee.wait_record = Unmanaged.passUnretained(record).toOpaque()
    ThreadEnd.arrange()
    return record
  }
}

/// What happens to a thread's storage when the thread ends.
package enum ThreadEnd {
  /// Has this thread's storage given back at its end. Call again freely.
  ///
  /// - Returns: 0, or ENOMEM or EAGAIN, which only mean that this thread's storage is
  ///   not returned.
  @discardableResult
  package static func arrange() -> Int32 {
    Fork.joinRuntime()
    return csb_thread_at_exit {
      let storage = csb_thread_self()
      // First: what the program put there may use all else. The thread's run loop is
      // gone when whoever joins the thread goes on; one that was made since goes after it.
      ThreadLoop.endOfThisThread()
      ThreadRecord.endThisThread()
      ThreadLoop.endOfThisThread()
      storage.pointee.object_locks_end?()
      ReaderBlocks.giveBackAll()
      NodeCache.releaseAll()
      HeldLocks.releaseOwn()
      if let raw = storage.pointee.wait_record {
        storage.pointee.wait_record = nil
        // SAFETY: the registry's reference, which `remove` gives back.
        WaitRegistry.shared.remove(Unmanaged<WaitRecord>.fromOpaque(raw))
      }
      // Last: all the rest may be recorded.
      TraceCapture.endThisThread()
      csb_overflow_end()
    }
  }
}
