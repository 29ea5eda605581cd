// OperationQueue+Waiting — a thread's wait until the queue is empty.
//
// Touching    `emptied`: written under the lock.

import SignalboxDispatch
import SignalboxRuntime

extension OperationQueue {
  final func waitUntilEmpty() {
    if Fork.hasHappened { checkFork() }
    lock.lock()
    if count == 0 { return lock.unlock() }
    hasWaiters = true
    let turn = emptied.load()
    lock.unlock()
    // An operation that is only in its `start()` may be finished by another thread.
    if ThreadHold.isInOperation(of: address) { trapWaitingForItself() }
    while true {
      _ = Parking.wait(
        while: wordAddress(emptied), is: turn, until: .never, for: .operations, on: resource)
      if lock.withLock({ emptied.load() }) != turn { return }
    }
  }

  private final func trapWaitingForItself() -> Never {
    selfDeadlock(
      "waitUntilAllOperationsAreFinished() was called on \(title) by one of its operations, so "
        + "it would wait for itself. Wait from outside, or use addBarrierBlock(_:).",
      for: .operations, on: resource)
  }

  private final var resource: WaitResource {
    WaitResource(
      object: address,
      describe: { raw in
        // SAFETY: the waiting thread holds a reference.
        Unmanaged<OperationQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          "all operations of \($0.title)"
        }
      },
      situation: { raw in
        // SAFETY: the waiting thread holds a reference.
        Unmanaged<OperationQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.situation)
      },
      need: { raw, _ in .each(of: raw, OperationQueue.needTest) }, place: { $0.place },
      view: OutsideView("all operations of the operation queue", holder: .workers))
  }

  private static let needTest: WaitNeed.Test = { raw, stack, budget in
    // SAFETY: the waiting thread holds a reference, and keeps waiting during the test.
    Unmanaged<OperationQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef { queue in
      guard queue.lock.tryLock() else { return nil }
      defer { queue.lock.unlock() }
      guard let (_, way) = queue.current(of: stack) else {
        return queue.holdForMain(stack, &budget)
      }
      return way == .operation ? .works : .works.released(by: .finish)
    }
  }

  /// The unfinished operation of this queue that the thread with `stack` runs, and in which way.
  /// Requires the lock.
  private final func current(
    of stack: ThreadStack
  ) -> (operation: Unmanaged<Operation>, way: ThreadHold.Kind)? {
    guard let (raw, way) = stack.operation(of: address) else { return nil }
    // SAFETY: the thread that runs it holds a reference.
    let operation = Unmanaged<Operation>.fromOpaque(raw)
    return operation._withUnsafeGuaranteedRef { $0.hasLeft } ? nil : (operation, way)
  }

  /// How the thread with `stack` holds up an operation in this queue, if it is the main thread and
  /// only the main thread can run the operation. Requires the lock.
  private final func holdForMain(_ stack: ThreadStack, _ budget: inout Int) -> WaitHold? {
    guard isMain, stack.isMain, count > running else { return nil }
    for operation in all.prefix(max(budget, 0)) {
      budget -= 1
      let isFirm = operation._withUnsafeGuaranteedRef {
        !$0.isRunning && OperationKind.isPlain($0)
      }
      if isFirm { return .holdsBack }
    }
    // Any thread may finish the operations in this queue.
    return .holdsBack.released(by: .finish)
  }

  /// The queue's remaining work, for the report of a thread that waits for it.
  private final var situation: String {
    let (all, begun, isHalted) = lock.withLock { (count, running, self.isHalted) }
    return " with \(all) left and \(begun == 0 ? "none" : "\(begun)") running"
      + (isHalted ? ", while the queue is suspended" : "")
  }

  /// Whether the thread with `stack` prevents `operation`, which waits here, from beginning,
  /// and what another thread could do about it. Requires the operation's lock.
  ///
  /// The thread does so if it is the only one on which `operation` could run; if the width is 1 and
  /// this thread runs the one operation that may run; or if it runs an operation of the current
  /// barrier generation and `operation` belongs to a later one.
  final func holdsBack(_ operation: Operation, _ stack: ThreadStack) -> WaitRelease? {
    if isMain && stack.isMain { return .nobody }
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    guard let (other, way) = current(of: stack) else { return nil }
    // The current generation does not end before each of its operations has.
    let isBehind = other._withUnsafeGuaranteedRef {
      plan.pointee.generations.isOpen(to: $0) && !plan.pointee.generations.isOpen(to: operation)
    }
    if isBehind { return way == .operation ? .nobody : .finish }
    return width == 1 && running == 1 ? .width : nil
  }
}
