// EndWaiter — a task's wait for the end of a group or a work item.

import SignalboxDispatch
import SignalboxRuntime

final class EndWaiter: Waiter, @unchecked Sendable {
  // SAFETY: the waiting code keeps it alive until the wait is over, and it is not used afterwards.
  private unowned(unsafe) let work: any EndOfWork
  private let notice = OwnedNode(
    GroupNotice { OwnedNode<GroupNotice>.takeOwner($0).resume() })

  init(for work: any EndOfWork) { self.work = work }

  override func register() {
    notice.keep(self)
    if !work.add(notice.pointer) { notice.takeOwner().resume() }
  }

  override func withdraw() {
    if work.withdraw(notice.pointer) { _ = notice.takeOwner() }
  }
}
