// NSConditionLock — a lock with a number that threads can wait for.
//
// Fast path   to acquire it, a compare-and-swap and a load of the number; to release it, a store
//             of the number, an exchange and a load of `isAwaited`.
// Slow path   `NSConditionLock+Waiting`.
//
// Touching    `state`, `isAwaited`: any thread, atomically; `isAwaited` is written under
//             `waiters`. `value`: written by the holder, read by any thread. `queue`: under
//             `waiters`. `label`: by its own lock.
// Ordering    None of its own. A waiter joins the queue while it holds the lock, so the next
//             holder sees it in `isAwaited`. The value passes from holder to holder with the
//             lock: LS1.

import CSignalbox
package import SignalboxRuntime

/// A lock with a number, its condition. You can acquire it when the number has a certain value.
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
/// Any thread may use it. Only the holder changes the condition, when it releases the lock. Of
/// the threads that wait for that condition, only the one that has waited longest is woken; a
/// thread that arrives at that moment may still acquire the lock first. To acquire a free lock
/// with the right condition and to release it costs one atomic operation each, no system call
/// and no memory.
///
/// While a thread holds the lock, threads that wait for it or for a condition depend on the
/// holder. A cycle of such waits, or a holder that locks again, is reported with a message that
/// names the threads. Signalbox cannot detect a condition that is never set while the lock is
/// free. Releasing the object while a thread holds it or waits for it traps. An unlock by another
/// thread succeeds and is reported once, as with ``NSLock``.
///
/// Source: Apple's documentation of `NSConditionLock`.
// SAFETY: all state is atomic or guarded.
open class NSConditionLock: NSLocking, @unchecked Sendable {
  let state = LockState()
  /// The condition. Written by the holder, and handed to the next one with the lock (LS1); a thread
  /// without the lock may read an old value.
  let value: SingleWriter<Int>
  /// Whether `queue` has waiters. Written under `waiters`. A waiter joins the queue while it holds
  /// the lock, so the next holder finds it.
  let isAwaited = SingleWriter(false)
  let waiters = WaitersLock()
  // SAFETY: accessed only under `waiters`.
  nonisolated(unsafe) var queue = ValueQueue()
  private let label = LockLabel()

  /// Creates a lock whose condition is 0.
  public convenience init() { self.init(condition: 0) }

  /// Creates a lock with a condition.
  public init(condition: Int) { value = SingleWriter(condition) }

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

  /// The condition that the lock was last released with. Only the holder can rely on it.
  open var condition: Int { current }

  /// The condition that the lock itself uses, even if a subclass overrides `condition`.
  final var current: Int { value.load() }

  // MARK: With any condition

  /// Acquires the lock with any condition, and waits for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {
    let thread = csb_thread_number()
    if !state.take(thread) { _ = lockSlow(thread, until: .never) }
    reportTaken()
  }

  /// Acquires the lock with any condition, if it is free.
  ///
  /// - Returns: whether it acquired the lock; also `false` if this thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func `try`() -> Bool {
    guard state.take(csb_thread_number()) else { return false }
    reportTaken(byTry: true)
    return true
  }

  /// Acquires the lock with any condition. Waits for it if necessary, but gives up when the
  /// wall clock passes `limit`.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(before limit: Date) -> Bool {
    let thread = csb_thread_number()
    let deadline = limit.deadline
    guard state.take(thread) || lockSlow(thread, until: deadline) else { return false }
    reportTaken(byTry: !deadline.isNever)
    return true
  }

  /// Releases the lock and keeps its condition.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {
    reportReleased()
    leave(csb_thread_number())
  }

  // MARK: With a condition

  /// Waits until the condition is `condition`, and acquires the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(whenCondition condition: Int) {
    let thread = csb_thread_number()
    let isHeld = state.take(thread)
    if !isHeld || current != condition {
      _ = takeSlow(thread, isHeld: isHeld, when: condition, until: .never)
    }
    reportTaken()
  }

  /// Acquires the lock if it is free and its condition is `condition`.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func tryLock(whenCondition condition: Int) -> Bool {
    let thread = csb_thread_number()
    guard current == condition, state.take(thread) else { return false }
    if current != condition {
      leave(thread)
      return false
    }
    reportTaken(byTry: true)
    return true
  }

  /// Waits until the condition is `condition`, and acquires the lock. Gives up when the
  /// wall clock passes `limit`.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(whenCondition condition: Int, before limit: Date) -> Bool {
    let thread = csb_thread_number()
    let deadline = limit.deadline
    let isHeld = state.take(thread)
    guard
      isHeld && current == condition
        || takeSlow(thread, isHeld: isHeld, when: condition, until: deadline)
    else { return false }
    reportTaken(byTry: !deadline.isNever)
    return true
  }

  /// Sets the condition and releases the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock(withCondition condition: Int) {
    reportReleased()
    value.store(condition)
    leave(csb_thread_number())
  }

  /// The type and the name; the address if there is no name.
  open var description: String { words }

  var resource: WaitResource { lockResource(self) }
}

extension NSConditionLock: NamedLock, Hashable {
  package var owner: UInt32 { state.owner }
  package var view: OutsideView { state.view("the NSConditionLock", label.view) }
  package var release: WaitRelease { .unlock }
  package var givenName: String? { label.name }

  public static func == (a: NSConditionLock, b: NSConditionLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
