// LineWaiter — the wait of a task in a line of tasks.
//
// Touching    `next`, `previous`, `number`, `isListed`: under the lock of the place.

import SignalboxRuntime

/// Where tasks wait in line.
protocol WaitingPlace: AnyObject {
  /// Puts the waiter into the line, or resumes it at once.
  func enlist(_ waiter: LineWaiter)
  /// Takes it out of the line, if it is still there.
  func withdraw(_ waiter: LineWaiter)
}

final class LineWaiter: Waiter, @unchecked Sendable {  // SAFETY: see Touching.
  // SAFETY: as that of an `EndWaiter`.
  private unowned(unsafe) let place: any WaitingPlace
  /// How much had happened at the place when the wait began.
  let seen: UInt64
  fileprivate var next: LineWaiter?
  // SAFETY: the line keeps it as long as this one is behind it.
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

/// Waiters in the order in which they came. Each is numbered, so that those who came before
/// something can be told from those who came after it.
///
/// Touching: everything under the lock of the place. Whoever takes a waiter out holds it until
/// after the unlock.
struct WaiterLine {
  private var first: LineWaiter?
  private var last: LineWaiter?
  /// The number of the next one.
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

  /// Takes out the first one, if its number is below `end`.
  mutating func removeFirst(below end: UInt64 = .max) -> LineWaiter? {
    guard let first, first.number < end else { return nil }
    remove(first)
    return first
  }

  /// Nothing if it is not there any more.
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
