// OperationQueue+Fork — what becomes of a queue in a forked child.
//
// The threads that ran its operations are not here, and those that stood in it are the
// parent's. So nothing of them begins in the child, also where an operation of the queue has
// forked and goes on. The queue is looked at when the child first uses it: one that was empty
// just works.
//
// Touching    `forks`: under the lock.

import SignalboxDispatch
import SignalboxRuntime

extension OperationQueue {
  /// In a forked child, before the queue is used.
  @inline(never)
  final func checkFork() {
    let count = Fork.count
    lock.lock()
    let left = forks == count ? 0 : self.count
    // They are idle, or trap by themselves; new ones know nothing of the parent.
    let old = workplaces
    let isNew = forks != count && left == 0
    if isNew {
      forks = count
      running = 0
      plan.pointee.sent.disown()
      workplaces = Workplaces()
    }
    lock.unlock()
    if isNew { OperationRegistry.shared.add(self) }
    withExtendedLifetime(old) {}
    if left > 0 {
      clientBug(
        "\(title) had \(counted(left, "operation")) in the parent when this process was forked, and the "
          + "threads that would go on are not here. Let it come to rest before fork(), or use a "
          + "queue that the child makes itself.")
    }
  }
}
