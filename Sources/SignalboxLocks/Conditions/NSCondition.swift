// NSCondition — a lock, and a queue of threads that wait until something it guards has
// changed.
//
// Fast path   lock and unlock are `NSLock`'s, and unlock looks at `hint` besides. A
//             signal for nobody is one look at `hint`.
// Slow path   each waiter sleeps on a word of its own (`ConditionWaiter`). A signal by
//             the lock's holder moves one to those who are to go on; the holder wakes it
//             when it has left the lock. A signal by anybody else wakes it at once.
//             See `SignalQueue`, and Internals/Locks.md.
//
// Touching    `state`, `hint`: any thread, atomically; `hint` is written under
//             `waiters`. `queue`: under `waiters`. `label`: by its own lock.
// Ordering    None of its own. Whoever must see a waiter in `hint` has held the lock
//             after that waiter (LS1), or has been told by somebody who has.
// Rejected    waking at the signal: the waiter would find the lock held and sleep again.
//             Counting signals in a word: a wake could be taken by a thread that began
//             to wait after the signal.

import CSignalbox
package import SignalboxRuntime
import Synchronization

/// A lock together with a condition for which threads wait under it.
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
/// Any thread. ``wait()`` leaves the lock and takes it again before it returns; what it
/// waited for must then be tested anew, for another thread may have come first. A signal
/// goes to the thread that has waited longest; one for which nobody waits does nothing.
/// A signalled thread runs when the lock is left, and those of a ``broadcast()`` one after
/// another. Signals may be given with the lock held or without it.
///
/// A thread that waits for a signal is on no cycle of a deadlock, for anyone may give it;
/// one that then waits for the lock can be. Traps if it is released while it is held or
/// waited for, and if a thread waits that does not hold it. An unlock by a thread that
/// does not hold it is said, once, and done, as with ``NSLock``.
///
/// Source: Apple's documentation of `NSCondition`.
// SAFETY: all state is atomic or guarded.
open class NSCondition: NSLocking, @unchecked Sendable {
  private let state = LockState()
  private let hint = Atomic<UInt32>(Hint.none)
  private let waiters = WaitersLock()
  // SAFETY: read and written under `waiters`.
  private nonisolated(unsafe) var queue = SignalQueue()
  private let label = LockLabel()

  /// What stands in the queue, for a look without its lock.
  private enum Hint {
    static let none: UInt32 = 0
    static let awaited: UInt32 = 1
    static let owesWake: UInt32 = 2
  }

  /// A condition that nobody holds or waits for.
  public init() {}

  deinit {
    // Not `description`: what a subclass adds is gone already.
    LockMisuse.checkIsFree(state.owner, words)
    if !waiters.isLeftByParent && !queue.isEmpty { LockMisuse.wasFreed(awaited: words) }
    tellFreed()
  }

  /// The name that reports show.
  open var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  // MARK: The lock

  /// Takes the lock, waiting for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {
    take(csb_thread_number())
  }

  /// Leaves the lock, and wakes a thread that was signalled meanwhile.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {
    leave(csb_thread_number())
  }

  private func take(_ thread: UInt32) {
    if !state.take(thread) { takeSlow(thread) }
    tellTaken()
  }

  @inline(never)
  private func takeSlow(_ thread: UInt32) {
    _ = state.takeSlow(thread, on: resource)
  }

  private func leave(_ thread: UInt32) {
    tellLeft()
    let old = state.leave()
    if old != thread { leaveSlow(old, thread) }
    // order: relaxed; who signalled with the lock held looks here itself.
    if hint.load(ordering: .relaxed) & Hint.owesWake != 0 { wakeNext() }
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

  /// Leaves the lock, waits for a signal, and takes the lock again.
  ///
  /// Traps if the calling thread does not hold the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func wait() {
    _ = wait(until: Deadline.never)
  }

  /// As ``wait()``, at most until `limit` by the wall clock, and follows that clock where
  /// it is set.
  ///
  /// - Returns: whether a signal came; `false` if the time came first. The lock is held
  ///   in both cases.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func wait(until limit: Date) -> Bool {
    wait(until: limit.deadline)
  }

  private func wait(until deadline: Deadline) -> Bool {
    let thread = csb_thread_number()
    let owner = state.owner
    if owner != thread { LockMisuse.waitsUnlocked(thread, owner, description) }
    return WaiterPointer.with { waiter in
      // Before the lock is left: whoever takes it next can signal this one.
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

  /// Lets the thread go on that has waited longest; nobody, if none waits.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func signal() {
    if isAwaited { signal { $0.signalFirst() } }
  }

  /// Lets all threads go on that wait, one after another.
  open func broadcast() {
    if isAwaited { signal { $0.signalAll() } }
  }

  private var isAwaited: Bool {
    // order: relaxed; who changed what is waited for has held the lock after the waiter.
    hint.load(ordering: .relaxed) & Hint.awaited != 0
  }

  @inline(never)
  private func signal(_ step: (inout SignalQueue) -> Void) {
    change { step(&$0) }
    // The holder wakes when it leaves. But for anybody else, nobody else might look.
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
        // order: relaxed; see Ordering.
        hint.store(
          (queue.isAwaited ? Hint.awaited : 0) | (queue.owesWake ? Hint.owesWake : 0),
          ordering: .relaxed)
      }
      return step(&queue)
    }
  }

  // MARK: Reports

  /// The type and the name, or the address where there is none.
  open var description: String { words }

  private var resource: WaitResource { lockResource(self) }

  /// What a thread waits for that waits for a signal. Anyone may give that; but before it goes
  /// on, signalled or not, the thread takes the lock, and so needs whoever holds it.
  private var signalResource: WaitResource {
    WaitResource(
      // SAFETY: whoever waits holds a reference.
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), release: .unlock,
      describe: {
        // SAFETY: as above.
        Unmanaged<NSCondition>.fromOpaque($0)._withUnsafeGuaranteedRef(\.words)
      },
      need: { raw, _ in
        // SAFETY: as above.
        let owner = Unmanaged<NSCondition>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.owner)
        return owner == 0 ? .nobody : .thread(owner)
      }, place: { $0.place })
  }
}

extension NSCondition: NamedLock, Hashable {
  package var owner: UInt32 { state.owner }
  package var release: WaitRelease { .unlock }
  package var givenName: String? { label.name }

  public static func == (a: NSCondition, b: NSCondition) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
