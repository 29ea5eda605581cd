// Operation+Waiting — a thread's wait for an operation, and the thread that can end it.
//
// Touching    the hold of a thread: see `ThreadHold`. The deadlock search reads other
//             operations' state; it only tries their locks.

import SignalboxDispatch
import SignalboxRuntime

extension Operation {
  final func waitForEnd() {
    while true {
      if isFinished && goesByItsWord { return }
      lock.lock()
      if finishedWord.load() == 1 { return lock.unlock() }
      hasWaiters = true
      lock.unlock()
      // An operation that is only in its `start()` may be finished by another thread.
      if ThreadHold.isHere(address, .operation) { trapWaitingForItself() }
      _ = Parking.wait(
        while: wordAddress(finishedWord), is: 0, until: .never, for: .operation, on: resource)
    }
  }

  /// Whether only the operation itself knows if it is finished, as with a subclass that is in no
  /// queue.
  private final var goesByItsWord: Bool { lock.withLock { phase == .new } }

  private final func trapWaitingForItself() -> Never {
    selfDeadlock(
      "waitUntilFinished() was called on \(title) by the operation itself: it would wait forever. "
        + "Wait from outside, or use its completionBlock.", for: .operation, on: resource)
  }

  private final var resource: WaitResource {
    WaitResource(
      object: address,
      describe: { raw in
        // SAFETY: the waiting thread holds a reference.
        Unmanaged<Operation>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.title)
      },
      situation: { raw in
        // SAFETY: the waiting thread holds a reference.
        Unmanaged<Operation>.fromOpaque(raw)._withUnsafeGuaranteedRef { ", " + $0.situation }
      },
      need: { raw, _ in .each(of: raw, OperationNeed.test) }, place: { $0.place },
      view: OutsideView("the operation", holder: .workers))
  }

  /// The operation's state, for the report of a thread that waits for it.
  final var situation: String {
    let (phase, missing, queue) = lock.withLock { (self.phase, unfinished, self.queue != nil) }
    switch phase {
    case .new: return "which is in no queue and was not started"
    case .enqueued:
      return missing > 0
        ? "which depends on \(counted(missing, "unfinished operation"))"
        : "which waits for its turn"
    case .starting, .executing:
      return queue ? "which has begun" : "which was started by hand"
    case .finishing, .finished: return "which is about to end"
    }
  }
}

/// Decides whether a thread can end a wait for an operation.
enum OperationNeed {
  static let test: WaitNeed.Test = { raw, stack, budget in
    if let way = stack.runs(operation: raw) {
      return way == .operation ? .works : .works.released(by: .finish)
    }
    // SAFETY: the waiting thread holds a reference, and keeps waiting during the test.
    return Unmanaged<Operation>.fromOpaque(raw)._withUnsafeGuaranteedRef {
      hold($0, stack, &budget, depth: 0)
    }
  }

  /// The depth to which dependencies are followed: each step holds a lock and a stack frame.
  private static var deepestLook: Int { 64 }

  /// How the thread with `stack` prevents `operation` from beginning.
  private static func hold(
    _ operation: Operation, _ stack: ThreadStack, _ budget: inout Int, depth: Int
  ) -> WaitHold? {
    // The holder of this lock may want a lock that this thread holds, so do not wait for it.
    guard budget > 0, operation.lock.tryLock() else { return nil }
    defer { operation.lock.unlock() }
    budget -= 1
    guard operation.phase == .new || operation.phase == .enqueued else { return nil }
    if let queue = operation.queue,
      let release = queue._withUnsafeGuaranteedRef({ $0.holdsBack(operation, stack) })
    {
      // An operation of a class that is not ours may be finished by any thread before it begins.
      let isOurs = release != .nobody || OperationKind.isPlain(operation)
      return .holdsBack.released(by: isOurs ? release : .finish)
    }
    if operation.isMarkedCancelled || operation.unfinished == 0 || depth == deepestLook {
      return nil
    }
    for dependency in operation.dependencyList {
      let isHeld =
        stack.runs(operation: dependency.address) != nil
        || hold(dependency, stack, &budget, depth: depth + 1) != nil
      // The awaited operation may be cancelled, or lose the dependency.
      if isHeld { return .holdsBack.released(by: .dependency) }
    }
    return nil
  }
}
