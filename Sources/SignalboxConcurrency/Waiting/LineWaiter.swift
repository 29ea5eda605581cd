// LineWaiter — a task's wait in a line of tasks.
//
// Touching    `next`, `previous`, `number`, `isListed`: under the lock of the place.

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
  fileprivate var next: LineWaiter?
  // SAFETY: the line keeps the previous waiter while this one is behind it.
  fileprivate unowned(unsafe) var previous: LineWaiter?
  fileprivate(set) var number: UInt64 = 0
  fileprivate var isListed = false

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
  private var first: LineWaiter?
  private var last: LineWaiter?
  /// The number of the next waiter.
  private(set) var end: UInt64 = 0
  private(set) var count = 0

  mutating func append(_ waiter: LineWaiter) {
    waiter.number = end
    end += 1
    count += 1
    waiter.isListed = true
    waiter.previous = last
    if let last { last.next = waiter } else { first = waiter }
    last = waiter
  }

  /// Removes and returns the first waiter, if its number is below `end`.
  mutating func removeFirst(below end: UInt64 = .max) -> LineWaiter? {
    guard let first, first.number < end else { return nil }
    remove(first)
    return first
  }

  /// Removes a waiter. Has no effect if it is no longer there.
  mutating func remove(_ waiter: LineWaiter) {
    guard waiter.isListed else { return }
    waiter.isListed = false
    count -= 1
    let (next, previous) = (waiter.next, waiter.previous)
    if let next { next.previous = previous } else { last = previous }
    if let previous { previous.next = next } else { first = next }
    waiter.next = nil
    waiter.previous = nil
  }
}
