// Operation+Waiting — a thread that waits for an operation, and whom it needs.
//
// Touching    the hold of a thread: see `ThreadHold`. Other operations' state is read by a
//             search for deadlocks, which tries their locks and waits for none.

import SignalboxDispatch
import SignalboxRuntime

extension Operation {
  final func waitForEnd() {
    while true {
      if isFinished && goesByItsWord { return }
      lock.lock()
      // order: relaxed; under the lock.
      if finishedWord.load(ordering: .relaxed) == 1 { return lock.unlock() }
      hasWaiters = true
      lock.unlock()
      // One that only is in its `start()` may be finished by another thread.
      if ThreadHold.isHere(address, .operation) { trapWaitingForItself() }
      _ = WaitingDoor.wait(
        while: wordAddress(finishedWord), is: 0, until: .never, for: .operation, on: resource)
    }
  }

  /// Whether nobody but the operation itself knows whether it is finished: a subclass that no
  /// queue has started.
  private final var goesByItsWord: Bool { lock.withLock { phase == .new } }

  private final func trapWaitingForItself() -> Never {
    clientBug(
      "waitUntilFinished() was called on \(title) by the operation itself: it would wait for ever. "
        + "Wait from outside, or use its completionBlock.")
  }

  private final var resource: WaitResource {
    WaitResource(
      object: address,
      describe: { raw in
        // SAFETY: whoever waits for it holds a reference.
        Unmanaged<Operation>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.title)
      },
      situation: { raw in
        // SAFETY: as above.
        Unmanaged<Operation>.fromOpaque(raw)._withUnsafeGuaranteedRef { ", " + $0.situation }
      },
      need: { raw, _ in .each(of: raw, OperationNeed.test) }, place: { $0.place })
  }

  /// In what state it is, where a thread waits for it.
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

/// Whom a thread that waits for an operation needs.
enum OperationNeed {
  static let test: WaitNeed.Test = { raw, stack, budget in
    if let way = stack.runs(operation: raw) {
      return way == .operation ? .works : .works.released(by: .finish)
    }
    // SAFETY: whoever waits for it holds a reference, and goes on waiting meanwhile.
    return Unmanaged<Operation>.fromOpaque(raw)._withUnsafeGuaranteedRef {
      hold($0, stack, &budget, depth: 0)
    }
  }

  /// How far dependencies are followed: each step holds a lock and a frame of the stack.
  private static var deepestLook: Int { 64 }

  /// How the thread with `stack` keeps `operation` from beginning.
  private static func hold(
    _ operation: Operation, _ stack: ThreadStack, _ budget: inout Int, depth: Int
  ) -> WaitHold? {
    // Who holds such a lock may want one that this thread holds: nobody is waited for.
    guard budget > 0, operation.lock.tryLock() else { return nil }
    defer { operation.lock.unlock() }
    budget -= 1
    guard operation.phase == .new || operation.phase == .enqueued else { return nil }
    if let queue = operation.queue,
      let release = queue._withUnsafeGuaranteedRef({ $0.holdsBack(operation, stack) })
    {
      // One of a class that is not ours may be finished by any thread before it begins.
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
      // The one that is waited for may be cancelled, or freed of the dependency.
      if isHeld { return .holdsBack.released(by: .dependency) }
    }
    return nil
  }
}
