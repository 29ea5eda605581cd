// CircleWatch — circles of dependencies: who is told of those that stand.
//
// Closing a circle is no fault: the program may remove one of its dependencies before that
// matters. A circle whose operations all wait in queues, none of them cancelled, is said once if
// it stands for a while; and it is in each report of who waits as long as it stands.
//
// Every circle has a dependency that was added last: the operation which that was added to is
// its *closer*. So to look at the closers is enough.
//
// Touching    all but `haveBeen`: under the lock of `DependencySearch`. `haveBeen`: any thread,
//             atomically.
// Invariants  I1  `isScheduled` ⇒ a look is coming, which sees all that was done before.
//             I2  a circle stands whose operations wait in queues ⇒ it was told, or a look is
//                 coming: one is scheduled when a circle is closed, and whenever an operation
//                 comes into a queue that depends on others.

import SignalboxDispatch
import SignalboxRuntime
import Synchronization

// SAFETY: see Touching.
final class CircleWatch: @unchecked Sendable {
  /// How long a circle stands before it is told: time enough for a program that takes it apart
  /// again at once.
  private static let grace = DispatchTimeInterval.milliseconds(100)

  /// How many closers are looked at: a look takes the lock as long as it needs for all.
  private static let most = 64

  private var closers: [Closer] = []
  private var isScheduled = false
  private let everClosed = Atomic<Bool>(false)

  private struct Closer {
    weak var operation: Operation?
    var step = Step.untold

    enum Step { case untold, telling, told }
  }

  /// Whether a circle was ever closed in this process.
  var haveBeen: Bool {
    // order: relaxed; whoever reads it has had the lock of an operation of the circle since.
    everClosed.load(ordering: .relaxed)
  }

  /// In a forked child: the look that was coming comes in the parent.
  func forgetSchedule() { isScheduled = false }

  // MARK: Noting

  /// Under the lock: a dependency of `operation` is about to close a circle.
  func note(_ operation: Operation) {
    everClosed.store(true, ordering: .relaxed)  // order: relaxed; as in `haveBeen`.
    if closers.count < CircleWatch.most { closers.append(Closer(operation: operation)) }
  }

  /// No lock is held: has the circles looked at in a while.
  func schedule(_ search: DependencySearch) {
    search.lock()
    let isNeeded = !closers.isEmpty && !isScheduled
    if isNeeded { isScheduled = true }
    search.unlock()
    guard isNeeded else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + CircleWatch.grace) { self.look(search) }
  }

  // MARK: Looking

  private func look(_ search: DependencySearch) {
    // Let go of after the lock is left: a last reference must not go under it.
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
    for place in closers.indices where closers[place].step == .telling {
      closers[place].step = .told
    }
    search.unlock()
  }

  // MARK: Reports

  /// What was told of the circles that stand.
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

  /// - Parameter circle: each depends on the next, and the last one on the first.
  private static func text(of circle: [Operation]) -> String {
    let names = circle.map(\.title)
    return "deadlock: these operations wait in their queues and depend on each other: "
      + names.joined(separator: ", which depends on ") + ", which depends on \(names[0]). None "
      + "begins unless a dependency is removed or one of them is cancelled. Call "
      + "removeDependency(_:) on one of them."
  }
}
