// CircleWatch — watches cycles of dependencies, and warns of those that persist.
//
// Closing a cycle is not an error: the program may remove one of its dependencies before it
// matters. If a cycle persists for a while and all its operations wait in queues, none of them
// cancelled, the watch warns once. Reports list it as long as it persists.
//
// Every cycle has a dependency that was added last. The operation to which it was added is the
// cycle's *closer*, so looking at the closers is enough.
//
// Touching    all but `haveBeen`: under the lock of `DependencySearch`. `haveBeen`: any thread,
//             atomically.
// Invariants  I1  `isScheduled` ⇒ a check is still to come, and sees everything done before it.
//             I2  if a cycle persists and all its operations wait in queues, it was reported or a
//                 check is scheduled. A check is scheduled when a cycle is closed, and whenever an
//                 operation with dependencies enters a queue.

import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime

// SAFETY: see Touching.
final class CircleWatch: @unchecked Sendable {
  /// How long a cycle must persist before it is reported, so that a program has time to break
  /// it up at once.
  private static let delay = DispatchTimeInterval.milliseconds(100)

  /// The maximum number of closers. A check holds the lock until it has seen all of
  /// them.
  private static let most = 64

  private var closers: [Closer] = []
  private var isScheduled = false
  /// See `haveBeen`. Written under the lock. A thread that depends on the value has held the lock
  /// of an operation of the cycle since the store.
  private let everClosed = SingleWriter(false)

  private struct Closer {
    weak var operation: Operation?
    var step = Step.untold

    enum Step { case untold, telling, told }
  }

  /// Whether this process has ever closed a cycle.
  var haveBeen: Bool { everClosed.load() }

  /// Call in a forked child, in which the scheduled check does not happen.
  func forgetSchedule() { isScheduled = false }

  // MARK: Recording

  /// Records that a dependency of `operation` is about to close a cycle. Requires the lock.
  func note(_ operation: Operation) {
    everClosed.store(true)
    if closers.count < CircleWatch.most { closers.append(Closer(operation: operation)) }
  }

  /// Schedules a check for cycles. Call without any lock.
  func schedule(_ search: DependencySearch) {
    search.lock()
    let isNeeded = !closers.isEmpty && !isScheduled
    if isNeeded { isScheduled = true }
    search.unlock()
    guard isNeeded else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + CircleWatch.delay) { self.look(search) }
  }

  // MARK: Looking

  private func look(_ search: DependencySearch) {
    // Release these after the lock, because the last reference must not be released under it.
    var kept: [Operation] = []
    var new: [[Operation]] = []
    search.lock()
    isScheduled = false
    var left: [Closer] = []
    for var closer in closers {
      guard let operation = closer.operation else { continue }
      kept.append(operation)
      if let circle = search.circle(through: operation, onlyQueued: true) {
        if closer.step == .untold {
          closer.step = .telling
          new.append(circle)
        }
      } else if search.circle(through: operation, onlyQueued: false) == nil {
        continue
      } else {
        closer.step = .untold
      }
      left.append(closer)
    }
    closers = left
    search.unlock()
    for circle in new { DeadlockReport.shared.tellStuck(CircleWatch.text(of: circle)) }
    if !new.isEmpty { noteTold(search) }
    withExtendedLifetime(kept) {}
  }

  private func noteTold(_ search: DependencySearch) {
    search.lock()
    for index in closers.indices where closers[index].step == .telling {
      closers[index].step = .told
    }
    search.unlock()
  }

  // MARK: Reports

  /// The texts of the cycles that persist and were reported.
  func lines(_ search: DependencySearch) -> [String] {
    var kept: [Operation] = []
    var circles: [[Operation]] = []
    search.lock()
    for closer in closers where closer.step == .told {
      guard let operation = closer.operation else { continue }
      kept.append(operation)
      if let circle = search.circle(through: operation, onlyQueued: true) {
        circles.append(circle)
      }
    }
    search.unlock()
    return circles.map(CircleWatch.text)
  }

  /// - Parameter circle: operations that each depend on the next, and the last on the first.
  private static func text(of circle: [Operation]) -> String {
    let names = circle.map(\.title)
    return "deadlock: these operations wait in their queues and depend on each other: "
      + names.joined(separator: ", which depends on ") + ", which depends on \(names[0]). None "
      + "begins unless a dependency is removed or one of them is cancelled. Call "
      + "removeDependency(_:) on one of them."
  }
}
