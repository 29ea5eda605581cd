// DependencySearch — whether a new dependency closes a circle.
//
// It goes from the one that is to be depended on up to those that it depends on, and
// from the other one down to those that depend on it, in turn, a step each. If one side
// comes to its end there is no circle; so it costs twice the smaller side. What is finished
// or has begun ends a way: it waits for nobody.
//
// Touching    everything, and the marks of all operations: under `guarded`. Only who adds or
//             removes a dependency takes it, and it is taken before any operation's lock. To
//             finish an operation needs it not.
// Invariants  I1  as long as it is held no edge is added or removed, and no operation that
//                 depends on others is freed; so whatever is reached is kept, too.
//             I2  no reference to an operation is the last one where it is let go of here.

import SignalboxRuntime

final class DependencySearch: @unchecked Sendable {  // SAFETY: see Touching.
  static var shared: DependencySearch { OperationRegistry.shared.search }

  /// Which circles there are.
  let circles = CircleWatch()
  private let guarded = EngineLock()
  private var mark: UInt32 = 0

  func lock() { guarded.lock() }
  func unlock() { guarded.unlock() }

  /// The way from `end`, through what it depends on, to `start`: a circle, if `start` is to
  /// depend on `end`.
  func circle(from start: Operation, to end: Operation) -> [Operation]? {
    let marks = nextMarks()
    var up = [Unmanaged.passUnretained(end)]  // SAFETY: see I1.
    var down = [Unmanaged.passUnretained(start)]  // SAFETY: see I1.
    end.mark = marks.up
    start.mark = marks.down
    while let upper = up.popLast() {
      // They have met.
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

  /// - Returns: whether one of them is on the other side.
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

  /// A circle in which `operation` is, each member depending on the next.
  ///
  /// - Parameter onlyQueued: whether each of them must be in a queue.
  func circle(through operation: Operation, onlyQueued: Bool) -> [Operation]? {
    way(from: operation, to: operation, onlyQueued: onlyQueued)?.dropLast()
  }

  // MARK: The way

  /// A way of one step at least; nil if there is none.
  private func way(
    from end: Operation, to start: Operation, onlyQueued: Bool = false
  ) -> [Operation]? {
    mark &+= 2
    let seen = mark
    var steps: [(operation: Operation, from: Int)] = [(end, -1)]
    var next = 0
    while next < steps.count {
      let here = steps[next].operation
      // A circle begins where it ends.
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
  /// Under its lock: whether it cannot begin before others are finished.
  fileprivate final func waitsForOthers(onlyQueued: Bool) -> Bool {
    (onlyQueued ? phase == .enqueued : phase < .starting) && unfinished > 0 && !isMarkedCancelled
  }
}
