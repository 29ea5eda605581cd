// LineWaiter — a task's wait in a line of tasks.
//
// Touching    `links`, `number`: under the lock of the object.

import SignalboxRuntime

/// An object for which tasks wait in line.
protocol Awaitable: AnyObject {
  /// Adds the waiter to the line, or resumes it at once.
  func register(_ waiter: LineWaiter)
  /// Removes the waiter from the line, if it is still there.
  func withdraw(_ waiter: LineWaiter)
}

final class LineWaiter: Waiter, @unchecked Sendable {  // SAFETY: see Touching.
  // SAFETY: see `EndWaiter.work`.
  private unowned(unsafe) let object: any Awaitable
  /// The number of posts when the wait began.
  let seen: UInt64
  @exclusivity(unchecked) fileprivate var links = ListLinks<Unmanaged<LineWaiter>>()
  fileprivate(set) var number: UInt64 = 0

  init(on object: any Awaitable, seen: UInt64 = 0) {
    self.object = object
    self.seen = seen
  }

  override func register() { object.register(self) }

  override func withdraw() { object.withdraw(self) }
}

/// Waiters in the order of arrival. A waiter's number shows whether it arrived before or after
/// an event.
///
/// Touching: everything, under the lock of the object that the tasks wait for. A thread
/// that removes a waiter keeps a reference to it until after the unlock.
struct WaiterLine {
  // SAFETY: `append` retains a waiter, `remove` releases it.
  private var list = IntrusiveList<LineWaiters>()
  /// The number of the next waiter.
  private(set) var end: UInt64 = 0
  var count: Int { list.count }

  mutating func append(_ waiter: LineWaiter) {
    waiter.number = end
    end += 1
    list.append(Unmanaged.passRetained(waiter))  // SAFETY: see `list`.
  }

  /// Removes and returns the first waiter, if its number is below `end`.
  mutating func removeFirst(below end: UInt64 = .max) -> LineWaiter? {
    // SAFETY: the line holds a reference.
    guard let first = list.first?.takeUnretainedValue(), first.number < end else { return nil }
    remove(first)
    return first
  }

  /// Removes a waiter. Has no effect if it is no longer there.
  mutating func remove(_ waiter: LineWaiter) {
    let old = Unmanaged.passUnretained(waiter)  // SAFETY: the caller holds a reference.
    if list.remove(old) { old.release() }
  }
}

private enum LineWaiters: ListLinkage {
  static func links(of waiter: Unmanaged<LineWaiter>) -> ListLinks<Unmanaged<LineWaiter>>.Pointer {
    waiter._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.links) { $0 } }
  }
}
