// NSRecursiveLock — a lock that the thread which holds it may take again.
//
// Fast path   the first time a compare-and-swap and an exchange; each further time
//             two loads and a store each way (`RecursiveLockState`).
// Slow path   `LockState+Waiting`.
//
// Touching    `state`: any thread, atomically. `label`: by its own lock.

import CSignalbox
import SignalboxRuntime

/// A lock that one thread holds at a time, and may take again while it holds it.
///
/// ```swift
/// let lock = NSRecursiveLock()
/// func count(_ node: Node) -> Int {
///   lock.withLock { 1 + node.children.reduce(0) { $0 + count($1) } }
/// }
/// ```
///
/// Any thread, one made by `pthread_create` too. It is to be left as often as it was
/// taken, and then goes to whoever comes first. Taking a free lock and leaving it costs
/// an atomic operation each; taking and leaving it again costs none.
///
/// Two threads that wait for each other's locks for ever are told, as with ``NSLock``.
/// An unlock by a thread that does not hold the lock is said on standard error, and not
/// done. Traps if it is released while held, or locked again four thousand million times.
///
/// Source: Apple's documentation of `NSRecursiveLock`.
// SAFETY: all state is atomic or guarded.
open class NSRecursiveLock: NSLocking, @unchecked Sendable {
  package let state = RecursiveLockState()
  private let label = LockLabel()

  /// A lock that nobody holds.
  public init() {}

  deinit {
    // Not `description`: what a subclass adds is gone already.
    LockMisuse.checkIsFree(state.owner, words)
    tellFreed()
  }

  /// The name that reports show.
  open var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  /// Takes the lock, waiting for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {
    if !state.take(csb_thread_number()) { lockSlow() }
    tellTaken()
  }

  /// Takes the lock if it is free, or if this thread holds it.
  ///
  /// - Returns: whether it was taken.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func `try`() -> Bool {
    guard state.take(csb_thread_number()) else { return false }
    tellTaken(byTry: true)
    return true
  }

  /// Takes the lock, waiting for it at most until `limit` by the wall clock.
  ///
  /// - Returns: whether it was taken.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(before limit: Date) -> Bool {
    let deadline = limit.deadline
    guard state.take(csb_thread_number()) || lockSlow(until: deadline) else { return false }
    tellTaken(byTry: !deadline.isNever)
    return true
  }

  /// Leaves the lock once.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {
    guard state.owner == csb_thread_number() else { return unlockSlow() }
    tellLeft()
    state.leave(csb_thread_number())
  }

  /// The type and the name, or the address where there is none.
  open var description: String { words }

  // The slow paths ask anew who the thread is, so that the fast ones need not keep it.

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
  package var givenName: String? { label.name }

  public static func == (a: NSRecursiveLock, b: NSRecursiveLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
