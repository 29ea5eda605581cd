// What the subjects share with their items.

import Glibc
import Synchronization

/// A count that any thread may change, without ordering anything else: the
/// hand-offs under test must order what has to be ordered.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  @discardableResult
  func increment() -> Int { count.add(1, ordering: .relaxed).newValue }

  @discardableResult
  func decrement() -> Int { count.subtract(1, ordering: .relaxed).newValue }
}

/// A plain value that the thing under test guards.
final class Unguarded<Value>: @unchecked Sendable {
  // SAFETY: none of its own, on purpose. Where a queue, a group or a semaphore
  // fails to keep two threads apart, counts are lost and ThreadSanitizer reports
  // the race.
  var value: Value

  init(_ value: Value) { self.value = value }
}

extension Unguarded<Int> {
  /// Adds one, slowly: whoever gets in between makes it lose a count.
  func increment() {
    let before = value
    hesitate()
    value = before + 1
  }
}

/// Carries what is not marked Sendable to another thread.
struct Carried<Value>: @unchecked Sendable {
  // SAFETY: work items may be used from any thread, whatever their type says.
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// Computes for a few nanoseconds, so that others get into the way.
@inline(never)
func dawdle(_ steps: Int) {
  // An atomic load, even one whose value nobody wants, stays in the program.
  for _ in 0..<steps { _ = idle.load(ordering: .relaxed) }
}

/// Stands in the middle of what must not be disturbed; now and then it gives the
/// processor away there.
func hesitate() {
  dawdle(10)
  if turns.add(1, ordering: .relaxed).newValue % 16 == 0 { sched_yield() }
}

private let idle = Atomic<Int>(0)
private let turns = Atomic<Int>(0)
