// DependencySearch — tells whether a new dependency closes a cycle.
//
// The search goes up from the new dependency to its own dependencies, and down from the new
// dependent to its dependents, in alternating steps. If one side has no more operations, there is
// no cycle, so the search costs twice the smaller side. It does not follow operations that are
// finished or have begun, because they wait for no operation.
//
// Touching    everything, and the marks of all operations: under `guarded`. A thread takes it to
//             add or remove dependencies, to look for cycles and to fork, before any operation's
//             lock. Finishing an operation does not need it.
// Invariants  I1  while `guarded` is held, no edge is added, only the end of an operation removes
//                 edges, and no operation with dependencies is freed; so everything that the
//                 search reaches stays alive.
//             I2  the search never releases the last reference to an operation.

import SignalboxRuntime

final class DependencySearch: @unchecked Sendable {  // SAFETY: see Touching.
  static var shared: DependencySearch { OperationRegistry.shared.search }

  /// The known cycles.
  let circles = CircleWatch()
  private let guarded = EngineLock()
  private var mark: UInt32 = 0

  func lock() { guarded.lock() }
  func unlock() { guarded.unlock() }

  /// Returns the path from `end` through its dependencies to `start`, or nil if there is none. With
  /// a new dependency of `start` on `end`, the path becomes a cycle.
  func circle(from start: Operation, to end: Operation) -> [Operation]? {
    let marks = nextMarks()
    var up = [Unmanaged.passUnretained(end)]  // SAFETY: see I1.
    var down = [Unmanaged.passUnretained(start)]  // SAFETY: see I1.
    end.mark = marks.up
    start.mark = marks.down
    while let upper = up.popLast() {
      // True if the two sides have met.
      if upper._withUnsafeGuaranteedRef({ goUp(from: $0, marks, &up) }) {
        return way(from: end, to: start)
      }
      guard let lower = down.popLast() else { return nil }
      if lower._withUnsafeGuaranteedRef({ goDown(from: $0, marks, &down) }) {
        return way(from: end, to: start)
      }
    }
    return nil
  }

  private typealias Marks = (up: UInt32, down: UInt32)

  private func nextMarks() -> Marks {
    mark &+= 2
    return (mark &- 1, mark)
  }

  /// - Returns: whether one of the operation's dependencies was reached from the other side.
  private func goUp(
    from operation: Operation, _ marks: Marks, _ pending: inout [Unmanaged<Operation>]
  ) -> Bool {
    operation.lock.lock()
    defer { operation.lock.unlock() }
    guard operation.phase < .starting, operation.unfinished > 0 else { return false }
    for next in operation.dependencyList {
      if next.mark == marks.down { return true }
      if next.mark == marks.up { continue }
      next.mark = marks.up
      pending.append(Unmanaged.passUnretained(next))  // SAFETY: see I1.
    }
    return false
  }

  private func goDown(
    from operation: Operation, _ marks: Marks, _ pending: inout [Unmanaged<Operation>]
  ) -> Bool {
    operation.lock.lock()
    defer { operation.lock.unlock() }
    for next in operation.dependents {
      guard let next else { continue }
      let known = next._withUnsafeGuaranteedRef { $0.mark }
      if known == marks.up { return true }
      if known == marks.down { continue }
      next._withUnsafeGuaranteedRef { $0.mark = marks.down }
      pending.append(next)
    }
    return false
  }

  /// Returns a cycle that contains `operation`, each member depending on the next.
  ///
  /// - Parameter onlyQueued: whether each member must be in a queue.
  func circle(through operation: Operation, onlyQueued: Bool) -> [Operation]? {
    way(from: operation, to: operation, onlyQueued: onlyQueued)?.dropLast()
  }

  // MARK: The path

  /// Returns a path of at least one step, or nil if there is none.
  private func way(
    from end: Operation, to start: Operation, onlyQueued: Bool = false
  ) -> [Operation]? {
    mark &+= 2
    let seen = mark
    var steps: [(operation: Operation, from: Int)] = [(end, -1)]
    var next = 0
    while next < steps.count {
      let here = steps[next].operation
      // The path may end where it began, which is a cycle.
      if next > 0 && here === start { return names(steps, next) }
      let above = here.lock.withLock {
        here.waitsForOthers(onlyQueued: onlyQueued) ? here.dependencyList : []
      }
      for one in above where one.mark != seen {
        one.mark = seen
        steps.append((one, next))
      }
      next += 1
    }
    return nil
  }

  private func names(_ steps: [(operation: Operation, from: Int)], _ last: Int) -> [Operation] {
    var way: [Operation] = []
    var step = last
    while step >= 0 {
      way.append(steps[step].operation)
      step = steps[step].from
    }
    return way.reversed()
  }
}

extension Operation {
  /// Whether the operation cannot begin before others finish. Requires its lock.
  fileprivate final func waitsForOthers(onlyQueued: Bool) -> Bool {
    (onlyQueued ? phase == .enqueued : phase < .starting) && unfinished > 0 && !isMarkedCancelled
  }
}
