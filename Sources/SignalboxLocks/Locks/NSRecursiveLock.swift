// NSRecursiveLock — a lock that its holder may acquire again.
//
// Fast path   the first time a compare-and-swap and an exchange; each further time two loads and
//             a store each way (`RecursiveLockState`).
// Slow path   `LockState+Waiting`.
//
// Touching    `state`: any thread, atomically. `label`: by its own lock.

import CSignalbox
package import SignalboxRuntime

/// A lock that one thread holds at a time, and may acquire again while it holds it.
///
/// ```swift
/// let lock = NSRecursiveLock()
/// func count(_ node: Node) -> Int {
///   lock.withLock { 1 + node.children.reduce(0) { $0 + count($1) } }
/// }
/// ```
///
/// Any thread may use it, including one made by `pthread_create`. Release it once for each time
/// that you acquire it; the lock then goes to the thread that tries first. Acquiring a free lock
/// and releasing it costs one atomic operation each; acquiring it again costs none.
///
/// Two threads that wait for each other's locks forever are reported, as with ``NSLock``. An
/// unlock by a thread that does not hold the lock has no effect and is reported on standard
/// error. Releasing the object while the lock is held traps, and so does locking it more
/// than four billion times without unlocking it.
///
/// Source: Apple's documentation of `NSRecursiveLock`.
// SAFETY: all state is atomic or guarded.
open class NSRecursiveLock: NSLocking, @unchecked Sendable {
  package let state = RecursiveLockState()
  private let label = LockLabel()

  /// Creates a free lock.
  public init() {}

  deinit {
    // Do not use `description`: the fields of a subclass are already destroyed.
    LockMisuse.checkIsFree(state.owner, words)
    reportFreed()
  }

  /// The name that reports show.
  open var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  /// Acquires the lock, and waits for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {
    if !state.take(csb_thread_number()) { lockSlow() }
    reportTaken()
  }

  /// Acquires the lock if it is free, or if this thread holds it.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func `try`() -> Bool {
    guard state.take(csb_thread_number()) else { return false }
    reportTaken(byTry: true)
    return true
  }

  /// Acquires the lock. Waits for it if necessary, but gives up when the wall
  /// clock passes `limit`.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(before limit: Date) -> Bool {
    let deadline = limit.deadline
    guard state.take(csb_thread_number()) || lockSlow(until: deadline) else { return false }
    reportTaken(byTry: !deadline.isNever)
    return true
  }

  /// Releases the lock once.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {
    guard state.owner == csb_thread_number() else { return unlockSlow() }
    reportReleased()
    state.leave(csb_thread_number())
  }

  /// The type and the name; the address if there is no name.
  open var description: String { words }

  // The slow paths look up the thread's number again, so that the fast paths need not keep it.

  @inline(never)
  private func lockSlow() { _ = lockSlow(until: .never) }

  @inline(never)
  private func lockSlow(until deadline: Deadline) -> Bool {
    let thread = csb_thread_number()
    if state.owner == thread { isTooDeep() }
    return state.takeSlow(thread, until: deadline, on: resource)
  }

  private func isTooDeep() -> Never {
    clientBug(
      "\(description) was locked more often than can be counted: unlock it as often as it is "
        + "locked.")
  }

  @inline(never)
  private func unlockSlow() {
    LockMisuse.wasUnlocked(
      state.owner, by: csb_thread_number(), description, isLeft: false)
  }

  private var resource: WaitResource { lockResource(self) }
}

extension NSRecursiveLock: NamedLock, Hashable {
  package var owner: UInt32 { state.owner }
  package var view: OutsideView { state.view("the NSRecursiveLock", label.view) }
  package var givenName: String? { label.name }

  public static func == (a: NSRecursiveLock, b: NSRecursiveLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
