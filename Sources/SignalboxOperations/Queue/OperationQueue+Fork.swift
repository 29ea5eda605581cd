// OperationQueue+Fork — a queue in a forked child.
//
// The threads that ran its operations do not exist in the child, and the operations in it are
// the parent's. None of them begins in the child, even if an operation of the queue has forked
// and continues. The queue is checked when the child first uses it. A queue that was empty works.
//
// Touching    `forkCount`: under the lock.

import SignalboxDispatch
import SignalboxRuntime

extension OperationQueue {
  /// Checks the queue in a forked child, before it is used.
  @inline(never)
  final func checkFork() {
    let count = Fork.count
    lock.lock()
    let left = forkCount == count ? 0 : self.count
    // The old queues are idle, or trap by themselves; new ones hold no work from the parent.
    let old = backingQueues
    let isNew = forkCount != count && left == 0
    if isNew {
      forkCount = count
      running = 0
      plan.pointee.sent.disown()
      backingQueues = BackingQueues()
    }
    lock.unlock()
    if isNew { OperationRegistry.shared.add(self) }
    withExtendedLifetime(old) {}
    if left > 0 {
      clientBug(
        "\(title) had \(counted(left, "operation")) in the parent when this process was forked, "
          + "and the threads that would continue do not exist here. Wait until the queue is idle "
          + "before fork(), or create a queue in the child.")
    }
  }
}
