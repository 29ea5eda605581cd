// SharedState — what the subjects share with their items.

import Glibc
import Synchronization

/// A count that any thread may change. It orders nothing else: the hand-offs under test must
/// provide the ordering.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  @discardableResult
  func increment() -> Int { count.add(1, ordering: .relaxed).newValue }

  @discardableResult
  func decrement() -> Int { count.subtract(1, ordering: .relaxed).newValue }
}

/// A plain value that the code under test guards.
final class Unguarded<Value>: @unchecked Sendable {
  // SAFETY: deliberately unprotected. If a queue, a group or a semaphore fails to keep two
  // threads apart, counts are lost and ThreadSanitizer reports the race.
  var value: Value

  init(_ value: Value) { self.value = value }
}

extension Unguarded<Int> {
  /// Adds one slowly, so that a thread that gets in between makes it lose a count.
  func increment() {
    let before = value
    hesitate()
    value = before + 1
  }
}

/// Carries a value that is not Sendable to another thread.
struct Carried<Value>: @unchecked Sendable {
  // SAFETY: any thread may use a work item, although its type does not say so.
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// Computes for a few nanoseconds, so that other threads can interfere.
@inline(never)
func dawdle(_ steps: Int) {
  // The compiler keeps an atomic load even if its value is unused.
  for _ in 0..<steps { _ = idle.load(ordering: .relaxed) }
}

/// Pauses in the middle of something that must not be disturbed, and sometimes yields the
/// processor.
func hesitate() {
  dawdle(10)
  if turns.add(1, ordering: .relaxed).newValue % 16 == 0 { sched_yield() }
}

private let idle = Atomic<Int>(0)
private let turns = Atomic<Int>(0)
