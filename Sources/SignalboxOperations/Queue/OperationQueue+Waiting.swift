// OperationQueue+Waiting — a thread that waits until the queue is empty.
//
// Touching    `emptied`: written under the lock.

import SignalboxDispatch
import SignalboxRuntime

extension OperationQueue {
  final func waitUntilEmpty() {
    if ForkProtocol.hasHappened { checkFork() }
    lock.lock()
    if count == 0 { return lock.unlock() }
    hasWaiters = true
    let turn = emptied.load(ordering: .relaxed)  // order: relaxed; under the lock.
    lock.unlock()
    if ThreadHold.isHere(address, .operationQueue) { trapWaitingForItself() }
    while true {
      _ = WaitingDoor.wait(
        while: wordAddress(emptied), is: turn, until: .never, for: .operations, on: resource)
      // order: relaxed; under the lock.
      if lock.withLock({ emptied.load(ordering: .relaxed) }) != turn { return }
    }
  }

  private final func trapWaitingForItself() -> Never {
    clientBug(
      "waitUntilAllOperationsAreFinished() was called on \(title) by one of its operations, for "
        + "which it would wait, too. Wait from outside, or use addBarrierBlock(_:).")
  }

  private final var resource: WaitResource {
    WaitResource(
      object: address,
      describe: { raw in
        // SAFETY: whoever waits for it holds a reference.
        Unmanaged<OperationQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          "all operations of \($0.title)"
        }
      },
      situation: { raw in
        // SAFETY: as above.
        Unmanaged<OperationQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.situation)
      },
      need: { raw, _ in .each(of: raw, OperationQueue.needTest) }, place: { $0.place })
  }

  private static let needTest: WaitNeed.Test = { raw, stack, _ in
    if stack.operates(for: raw) { return .works }
    // SAFETY: whoever waits for it holds a reference, and goes on waiting meanwhile.
    return Unmanaged<OperationQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef {
      $0.waitsForMain(stack) ? .holdsBack : nil
    }
  }

  /// Whether an operation stands here that only the main thread can run, which has `stack`.
  private final func waitsForMain(_ stack: ThreadStack) -> Bool {
    guard isMain, stack.isMain, lock.tryLock() else { return false }
    defer { lock.unlock() }
    return count > running
  }

  /// What it has to do, where a thread waits for it.
  private final var situation: String {
    let (all, begun, isHalted) = lock.withLock { (count, running, self.isHalted) }
    return " (\(all) left, \(begun) running\(isHalted ? "; the queue is suspended" : ""))"
  }

  /// For an operation that waits for its turn: whether the thread with `stack` runs the one
  /// operation that may run at a time, or is the one thread on which it could.
  final func isFilled(by stack: ThreadStack) -> Bool {
    if isMain && stack.isMain { return true }
    guard stack.operates(for: address), lock.tryLock() else { return false }
    defer { lock.unlock() }
    return width == 1 && running == 1
  }
}
