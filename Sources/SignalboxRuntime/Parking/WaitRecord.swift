// WaitRecord — what one thread waits for now, for reports and for the search for deadlocks.
//
// A thread gets one at its first slow wait. A list of all records holds it until the thread
// ends. Publishing takes the record's own lock, which no other thread wants unless a report
// is being written or a wait lasts long.
//
// Touching    every field but `epoch`: under `lock`. `epoch`: written under
//             `lock`, read by any thread. `links`: the registry's.
// Ordering    WR1  publish's and withdraw's releasing store of `epoch` → an
//                  acquiring load: a reader that sees the epoch sees the record.
// Invariants  I1  `epoch` is odd exactly while the thread waits; it never
//                 repeats, so two equal readings mean one and the same wait.
//             I2  while another thread holds `lock` and `epoch` is odd, the
//                 thread does not return from its wait. So three things do not
//                 change: its stack, what the stack holds references to, and the
//                 lists of queues from which only this thread may take items.

import CSignalbox
package import Synchronization

package final class WaitRecord: Sendable {
  /// The thread's number.
  package let thread: UInt32
  package let kernelID: Int32
  /// Whether the thread is the process's first one.
  package let isMain: Bool
  /// Whether the thread is a worker of the pool.
  package let isWorker: Bool
  package let epoch = Atomic<UInt64>(0)
  // SAFETY: read and written under the lock of `DeadlockReport`.
  nonisolated(unsafe) var told: UInt64 = 0
  /// The same as `told`, for reports of cycles that no other thread can end.
  // SAFETY: read and written under the lock of `DeadlockReport`.
  nonisolated(unsafe) var toldAsFinal: UInt64 = 0

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var wait = Wait.none

  // SAFETY: read and written under the registry's lock.
  @exclusivity(unchecked) nonisolated(unsafe) var links = ListLinks<Unmanaged<WaitRecord>>()

  /// A wait, as the waiting thread published it.
  private struct Wait {
    var reason: WaitReason
    var resource: WaitResource
    var deadline: Deadline
    /// The word on which the thread sleeps, if any, and the value of that word while the
    /// wait is not over.
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

  // MARK: For the thread itself

  /// - Parameters:
  ///   - word: the word on which the thread is about to sleep; nil if it sleeps otherwise.
  ///   - expected: the word's value as long as the wait is not over.
  ///   - since: when the wait began, on the uptime clock; nil for now.
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
    // Release the resource of the previous wait here, after the lock is released.
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

  /// Whether the thread waits. The caller holds the lock.
  private var isWaiting: Bool {
    epoch.load(ordering: .acquiring) % 2 == 1  // order: acquiring, WR1
  }

  /// Whether the calling thread, whose record this is, is between `publish` and
  /// `withdraw`.
  var isPublished: Bool {
    epoch.load(ordering: .relaxed) % 2 == 1  // order: relaxed; only this thread writes it.
  }

  // MARK: Reports

  /// A wait at the moment of a look.
  package struct Snapshot: Sendable {
    package let thread: UInt32
    package let kernelID: Int32
    package let epoch: UInt64
    package let reason: WaitReason
    package let resource: String
    /// The resource's address, to compare and not to follow.
    package let object: UInt
    /// The thread's place: "on the queue …"; empty if it has none.
    package let place: String
    /// The thread that owns the resource; 0 if none does.
    package let owner: UInt32
    package let isTimed: Bool
    package let isWorker: Bool
    package let length: WaitLength
  }

  /// The locks that the waiting thread holds, if they are checked.
  var heldLocks: [HeldLock] {
    lock.withLock { isWaiting ? wait.stack?.heldLocks ?? [] : [] }
  }

  /// The current wait; nil if the thread does not wait.
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

  /// Whether the thread waits without a deadline, and the wait has not been ended.
  package var isBlockedWithoutEnd: Bool { lock.withLock { isBlocked } }

  /// How the thread holds up `object`, if it waits. If `epoch` is given, only in that
  /// wait.
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

  /// Calls `body` with the thread's stack if the thread waits, with or without a
  /// deadline.
  package func whileWaiting<T>(_ body: (ThreadStack, _ epoch: UInt64) -> T) -> T? {
    lock.withLock {
      guard isWaiting, let stack = wait.stack else { return nil }
      // order: relaxed; written under the lock.
      return body(stack, epoch.load(ordering: .relaxed))
    }
  }

  /// Whether the thread waits without a deadline, and the wait has not been ended. The
  /// caller holds the lock.
  private var isBlocked: Bool {
    guard isWaiting, wait.deadline.isNever, let word = wait.word else { return false }
    return wait.resource.isTaken || csb_look_at_word(word) == wait.expected
  }

  // MARK: The record of each thread

  /// The record of the calling thread, created on first use.
  package static var ofThisThread: WaitRecord {
    if let raw = csb_thread_self().pointee.wait_record {
      // SAFETY: the list of all records holds a reference until the thread ends.
      return Unmanaged<WaitRecord>.fromOpaque(raw).takeUnretainedValue()
    }
    return makeForThisThread()
  }

  @inline(never)
  private static func makeForThisThread() -> WaitRecord {
    // Do this first: a fork from now on waits for the registry if it is just being
    // initialized.
    Fork.joinRuntime()
    let record = WaitRecord()
    WaitRegistry.shared.add(record)
    // SAFETY: unretained; the registry keeps the record until the thread ends.
    csb_thread_self().pointee.wait_record = Unmanaged.passUnretained(record).toOpaque()
    ThreadEnd.arrange()
    return record
  }
}

/// Cleans up a thread's storage when the thread ends.
package enum ThreadEnd {
  /// Arranges that this thread's storage is freed at its end. You can call this
  /// repeatedly.
  ///
  /// - Returns: 0, ENOMEM or EAGAIN. An error means only that this thread's storage is
  ///   not freed.
  @discardableResult
  package static func arrange() -> Int32 {
    Fork.joinRuntime()
    return csb_thread_at_exit {
      let storage = csb_thread_self()
      // First, because the program's values there may use everything else. The thread's
      // run loop is gone before a thread that joins this one continues. A run loop that
      // is created in between ends afterwards.
      ThreadLoop.endOfThisThread()
      ThreadRecord.endThisThread()
      ThreadLoop.endOfThisThread()
      storage.pointee.object_locks_end?()
      ReaderBlocks.giveBackAll()
      NodeCache.releaseAll()
      HeldLocks.releaseOwn()
      if let raw = storage.pointee.wait_record {
        storage.pointee.wait_record = nil
        // SAFETY: the registry's reference, which `remove` releases.
        WaitRegistry.shared.remove(Unmanaged<WaitRecord>.fromOpaque(raw))
      }
      // Last, because everything before may be recorded.
      Probe.observer?.threadEnds()
      csb_overflow_end()
    }
  }
}
