// NSConditionLock — a lock with a number, for which threads can wait.
//
// Fast path   a compare-and-swap and a look at the number to take it; a store of the
//             number, an exchange and a look at `isAwaited` to leave it.
// Slow path   `NSConditionLock+Waiting`.
//
// Touching    `state`, `isAwaited`: any thread, atomically; `isAwaited` is written under
//             `waiters`. `value`: written by the holder, read by anyone. `queue`: under
//             `waiters`. `label`: by its own lock.
// Ordering    None of its own. A waiter joins the queue with the lock held, so whoever
//             holds it next sees that in `isAwaited`, and the value goes with the lock
//             from holder to holder: LS1.

import CSignalbox
package import SignalboxRuntime
import Synchronization

/// A lock with a number, its condition, that can be taken when the number is as wanted.
///
/// ```swift
/// let empty = 0, full = 1
/// let lock = NSConditionLock(condition: empty)
///
/// // A producer:
/// lock.lock(whenCondition: empty)
/// product = makeProduct()
/// lock.unlock(withCondition: full)
///
/// // A consumer:
/// lock.lock(whenCondition: full)
/// use(product)
/// lock.unlock(withCondition: empty)
/// ```
///
/// Any thread. Only the holder changes the condition, when it leaves the lock. Of those
/// who wait for the condition that the lock is left with, the one that has waited longest
/// is woken, and no other; a thread that comes at that moment may still be faster.
/// Taking a free lock with the right condition and leaving it costs an atomic operation
/// each, no system call and no memory.
///
/// While somebody holds the lock, threads that wait for it or for a condition need that
/// thread, and a cycle of such waits traps with a message that names them; so does a
/// holder that locks again. A condition that never comes while nobody holds the lock is
/// no deadlock that could be told. Traps if it is released while held or waited for. An
/// unlock by another thread is said, once, and done, as with ``NSLock``.
///
/// Source: Apple's documentation of `NSConditionLock`.
// SAFETY: all state is atomic or guarded.
open class NSConditionLock: NSLocking, @unchecked Sendable {
  let state = LockState()
  let value: Atomic<Int>
  let isAwaited = Atomic<Bool>(false)
  let waiters = WaitersLock()
  // SAFETY: read and written under `waiters`.
  nonisolated(unsafe) var queue = ValueQueue()
  private let label = LockLabel()

  /// Makes a lock whose condition is 0.
  public convenience init() { self.init(condition: 0) }

  /// Makes a lock with this condition.
  public init(condition: Int) { value = Atomic(condition) }

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

  /// The condition that the lock was last left with. It stays true for the holder only.
  open var condition: Int { current }

  /// For the lock itself, which a subclass's own `condition` does not change.
  final var current: Int {
    value.load(ordering: .relaxed)  // order: relaxed; the lock orders it for its holder.
  }

  // MARK: Whatever the condition

  /// Takes the lock, whatever its condition, waiting for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {
    let thread = csb_thread_number()
    if !state.take(thread) { _ = lockSlow(thread, until: .never) }
    tellTaken()
  }

  /// Takes the lock, whatever its condition, if it is free.
  ///
  /// - Returns: whether it was taken; `false` also where this thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func `try`() -> Bool {
    guard state.take(csb_thread_number()) else { return false }
    tellTaken(byTry: true)
    return true
  }

  /// Takes the lock, whatever its condition, waiting for it at most until `limit` by the
  /// wall clock.
  ///
  /// - Returns: whether it was taken.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(before limit: Date) -> Bool {
    let thread = csb_thread_number()
    let deadline = limit.deadline
    guard state.take(thread) || lockSlow(thread, until: deadline) else { return false }
    tellTaken(byTry: !deadline.isNever)
    return true
  }

  /// Leaves the lock; its condition stays.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {
    tellLeft()
    leave(csb_thread_number())
  }

  // MARK: With a condition

  /// Takes the lock when its condition is `condition`, waiting until it is.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(whenCondition condition: Int) {
    let thread = csb_thread_number()
    let isHeld = state.take(thread)
    if !isHeld || current != condition {
      _ = takeSlow(thread, isHeld: isHeld, when: condition, until: .never)
    }
    tellTaken()
  }

  /// Takes the lock if it is free and its condition is `condition`.
  ///
  /// - Returns: whether it was taken.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func tryLock(whenCondition condition: Int) -> Bool {
    let thread = csb_thread_number()
    guard current == condition, state.take(thread) else { return false }
    if current != condition {
      leave(thread)
      return false
    }
    tellTaken(byTry: true)
    return true
  }

  /// Takes the lock when its condition is `condition`, waiting until it is, at most until
  /// `limit` by the wall clock.
  ///
  /// - Returns: whether it was taken.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(whenCondition condition: Int, before limit: Date) -> Bool {
    let thread = csb_thread_number()
    let deadline = limit.deadline
    let isHeld = state.take(thread)
    guard
      isHeld && current == condition
        || takeSlow(thread, isHeld: isHeld, when: condition, until: deadline)
    else { return false }
    tellTaken(byTry: !deadline.isNever)
    return true
  }

  /// Leaves the lock, with this as its condition.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock(withCondition condition: Int) {
    tellLeft()
    value.store(condition, ordering: .relaxed)  // order: relaxed; goes with the lock, LS1.
    leave(csb_thread_number())
  }

  /// The type and the name, or the address where there is none.
  open var description: String { words }

  var resource: WaitResource { lockResource(self) }
}

extension NSConditionLock: NamedLock, Hashable {
  package var owner: UInt32 { state.owner }
  package var release: WaitRelease { .unlock }
  package var givenName: String? { label.name }

  public static func == (a: NSConditionLock, b: NSConditionLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
