// NSCondition — a lock with a queue of threads that wait until something it guards has changed.
//
// Fast path   lock and unlock are those of `NSLock`; unlock also loads `hint`. A signal without a
//             waiter is one load of `hint`.
// Slow path   each waiter sleeps on a word of its own (`ConditionWaiter`). A signal by the lock's
//             holder moves one waiter to the signalled list, and the holder wakes it when it has
//             released the lock. A signal by any other thread wakes the waiter at once. See
//             `SignalQueue`, and Internals/Locks.md.
//
// Touching    `state`, `hint`: any thread, atomically; `hint` is written under `waiters`.
//             `queue`: under `waiters`. `label`: by its own lock.
// Ordering    None of its own. A thread that must see a waiter in `hint` has held the lock after
//             that waiter (LS1), or has synchronized with a thread that has.
// Rejected    waking at the signal: the waiter would find the lock held and sleep again. Counting
//             signals in a word: a thread that began to wait after the signal could take the
//             wake-up.

import CSignalbox
package import SignalboxRuntime

/// A lock together with a condition that threads wait for.
///
/// ```swift
/// // A consumer:
/// condition.lock()
/// while products.isEmpty { condition.wait() }
/// let product = products.removeFirst()
/// condition.unlock()
///
/// // A producer:
/// condition.lock()
/// products.append(product)
/// condition.signal()
/// condition.unlock()
/// ```
///
/// Any thread may use it. ``wait()`` releases the lock, and acquires it again before it returns.
/// Then test the condition again, because another thread may have acquired the lock first. A
/// signal goes to the thread that has waited longest; without a waiter it has no effect. A
/// signalled thread runs when the lock is released; the threads of a ``broadcast()`` run one
/// after another. You may signal with or without the lock.
///
/// A thread that waits for a signal is not part of a deadlock, because any thread may signal.
/// After the signal it waits for the lock, and can be part of one. Releasing the object while a
/// thread holds it or waits for it traps, and so does waiting without holding the lock. An unlock
/// by a thread that does not hold the lock succeeds and is reported once, as with ``NSLock``.
///
/// Source: Apple's documentation of `NSCondition`.
// SAFETY: all state is atomic or guarded.
open class NSCondition: NSLocking, @unchecked Sendable {
  private let state = LockState()
  /// What `queue` holds. Written under `waiters`. A thread that has changed what others wait for
  /// has held the lock after the waiter, so it finds the waiter in the hint. A thread that
  /// signalled while it held the lock checks the hint itself.
  private let hint = SingleWriter<UInt32>(Hint.none)
  private let waiters = WaitersLock()
  // SAFETY: accessed only under `waiters`.
  private nonisolated(unsafe) var queue = SignalQueue()
  private let label = LockLabel()

  /// The content of the queue, for a check without its lock.
  private enum Hint {
    static let none: UInt32 = 0
    static let awaited: UInt32 = 1
    static let owesWake: UInt32 = 2
  }

  /// Creates a condition that no thread holds or waits for.
  public init() {}

  deinit {
    // Do not use `description`: the fields of a subclass are already destroyed.
    LockMisuse.checkIsFree(state.owner, words)
    if !waiters.isLeftByParent && !queue.isEmpty { LockMisuse.wasFreed(awaited: words) }
    reportFreed()
  }

  /// The name that reports show.
  open var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  // MARK: The lock

  /// Acquires the lock, and waits for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {
    take(csb_thread_number())
  }

  /// Releases the lock, and wakes a thread that was signalled in the meantime.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {
    leave(csb_thread_number())
  }

  private func take(_ thread: UInt32) {
    if !state.take(thread) { takeSlow(thread) }
    reportTaken()
  }

  @inline(never)
  private func takeSlow(_ thread: UInt32) {
    _ = state.takeSlow(thread, on: resource)
  }

  private func leave(_ thread: UInt32) {
    reportReleased()
    let old = state.leave()
    if old != thread { leaveSlow(old, thread) }
    if hint.load() & Hint.owesWake != 0 { wakeNext() }
  }

  @inline(never)
  private func leaveSlow(_ old: UInt32, _ thread: UInt32) {
    let owner = old & LockState.ownerMask
    if owner != thread {
      LockMisuse.wasUnlocked(owner, by: thread, description, isLeft: true)
    }
    state.endLeaving(old)
  }

  // MARK: Waiting

  /// Releases the lock, waits for a signal, and acquires the lock again.
  ///
  /// Traps if the calling thread does not hold the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func wait() {
    _ = wait(until: Deadline.never)
  }

  /// Does the same as ``wait()``, but gives up when the wall clock passes `limit`. If the clock
  /// is set, the limit moves with it.
  ///
  /// - Returns: whether the thread was signalled; `false` if the time limit passed first. The
  ///   lock is held in either case.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func wait(until limit: Date) -> Bool {
    wait(until: limit.deadline)
  }

  private func wait(until deadline: Deadline) -> Bool {
    let thread = csb_thread_number()
    let owner = state.owner
    if owner != thread { LockMisuse.waitsUnlocked(thread, owner, description) }
    return WaiterPointer.with { waiter in
      // Do this before the lock is released, so that the next holder can signal this waiter.
      change { $0.add(waiter) }
      leave(thread)
      let wasSignalled =
        waiter.sleep(until: deadline, for: .condition, on: signalResource)
        || change { $0.gaveUp(waiter) }
      take(thread)
      if wasSignalled { change { $0.arrived(waiter) } }
      return wasSignalled
    }
  }

  // MARK: Signalling

  /// Signals the thread that has waited longest, if one waits.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func signal() {
    if isAwaited { signal { $0.signalFirst() } }
  }

  /// Signals all waiting threads, which continue one after another.
  open func broadcast() {
    if isAwaited { signal { $0.signalAll() } }
  }

  private var isAwaited: Bool { hint.load() & Hint.awaited != 0 }

  @inline(never)
  private func signal(_ step: (inout SignalQueue) -> Void) {
    change { step(&$0) }
    // If the holder signals, it wakes the waiter when it releases the lock. If another thread
    // signals, it must wake the waiter itself, because possibly no thread will release the lock.
    if state.owner != csb_thread_number() { wakeNext() }
  }

  @inline(never)
  private func wakeNext() {
    while let wake = change({ $0.wakeNext() }) {
      wake.perform()
      if !wake.isOfLowThread { return }
    }
  }

  private func change<T>(_ step: (inout SignalQueue) -> T) -> T {
    waiters.withLock(startAnew: { queue = SignalQueue() }) {
      defer {
        hint.store((queue.isAwaited ? Hint.awaited : 0) | (queue.owesWake ? Hint.owesWake : 0))
      }
      return step(&queue)
    }
  }

  // MARK: Reports

  /// The type and the name; the address if there is no name.
  open var description: String { words }

  private var resource: WaitResource { lockResource(self) }

  /// The resource of a thread that waits for a signal. Any thread may signal; but before the
  /// waiting thread continues, signalled or not, it acquires the lock and so waits for the
  /// holder.
  private var signalResource: WaitResource {
    WaitResource(
      // SAFETY: a waiting thread holds a reference.
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), release: .unlock,
      describe: {
        // SAFETY: a waiting thread holds a reference.
        Unmanaged<NSCondition>.fromOpaque($0)._withUnsafeGuaranteedRef(\.words)
      },
      need: { raw, _ in
        // SAFETY: a waiting thread holds a reference.
        let owner = Unmanaged<NSCondition>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.owner)
        return owner == 0 ? .nobody : .thread(owner)
      }, place: { $0.place }, view: view)
  }
}

extension NSCondition: NamedLock, Hashable {
  package var owner: UInt32 { state.owner }
  package var view: OutsideView { state.view("the NSCondition", label.view) }
  package var release: WaitRelease { .unlock }
  package var givenName: String? { label.name }

  public static func == (a: NSCondition, b: NSCondition) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
