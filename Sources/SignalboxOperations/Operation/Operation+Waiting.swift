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
      if ThreadHold.isHere(address, .work) { trapWaitingForItself() }
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
    if stack.works(for: raw) { return .works }
    // SAFETY: whoever waits for it holds a reference, and goes on waiting meanwhile.
    return Unmanaged<Operation>.fromOpaque(raw)._withUnsafeGuaranteedRef {
      holdsBack($0, stack, &budget, depth: 0) ? .holdsBack : nil
    }
  }

  /// How far dependencies are followed: each step holds a lock and a frame of the stack.
  private static var deepestLook: Int { 64 }

  /// Whether `operation` cannot begin before the thread with `stack` goes on.
  private static func holdsBack(
    _ operation: Operation, _ stack: ThreadStack, _ budget: inout Int, depth: Int
  ) -> Bool {
    // Who holds such a lock may want one that this thread holds: nobody is waited for.
    guard budget > 0, operation.lock.tryLock() else { return false }
    defer { operation.lock.unlock() }
    budget -= 1
    guard operation.phase == .new || operation.phase == .enqueued else { return false }
    if let queue = operation.queue,
      queue._withUnsafeGuaranteedRef({ $0.isFilled(by: stack) })
    {
      return true
    }
    if operation.isMarkedCancelled || operation.unfinished == 0 || depth == deepestLook {
      return false
    }
    for dependency in operation.dependencyList {
      if stack.works(for: dependency.address)
        || holdsBack(dependency, stack, &budget, depth: depth + 1)
      {
        return true
      }
    }
    return false
  }
}
