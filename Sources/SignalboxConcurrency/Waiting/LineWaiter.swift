// LineWaiter — a task's wait in a line of tasks.
//
// Touching    `links`, `number`: under the lock of the place.

import SignalboxRuntime

/// A place where tasks wait in line.
protocol WaitingPlace: AnyObject {
  /// Adds the waiter to the line, or resumes it at once.
  func enlist(_ waiter: LineWaiter)
  /// Removes the waiter from the line, if it is still there.
  func withdraw(_ waiter: LineWaiter)
}

final class LineWaiter: Waiter, @unchecked Sendable {  // SAFETY: see Touching.
  // SAFETY: see `EndWaiter.work`.
  private unowned(unsafe) let place: any WaitingPlace
  /// The number of posts at the place when the wait began.
  let seen: UInt64
  @exclusivity(unchecked) fileprivate var links = ListLinks<Unmanaged<LineWaiter>>()
  fileprivate(set) var number: UInt64 = 0

  init(at place: any WaitingPlace, seen: UInt64 = 0) {
    self.place = place
    self.seen = seen
  }

  override func enlist() { place.enlist(self) }

  override func withdraw() { place.withdraw(self) }
}

/// Waiters in the order of arrival. Numbers tell those that arrived before an event from those
/// that arrived after it.
///
/// Touching: everything under the lock of the place. A thread that removes a waiter keeps a
/// reference to it until after the unlock.
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
    // SAFETY: the line has a reference.
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
