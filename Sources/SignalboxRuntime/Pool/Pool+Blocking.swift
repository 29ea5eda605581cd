// Pool+Blocking — what the pool does when a worker waits: another takes over.

import CSignalbox
import Synchronization

extension Pool {
  /// Called by the waiting door before it sleeps.
  ///
  /// - Returns: this thread's worker, if it is one: the end of the wait must be
  ///   told too.
  static func thisWorkerWillBlock() -> WorkerPointer? {
    guard let worker = Worker.ofThisThread else { return nil }
    worker.pointee.pool._withUnsafeGuaranteedRef { $0.willBlock(worker) }
    return worker
  }

  static func didUnblock(_ worker: WorkerPointer) {
    worker.pointee.pool._withUnsafeGuaranteedRef { $0.didUnblock(worker) }
  }

  private func willBlock(_ worker: WorkerPointer) {
    giveUpRole(worker)
    lock.lock()
    // Nobody would come to take what a worker that waits keeps for itself.
    appendOwn(of: worker)
    if worker.isCountedOut { takeBackCountingOut(worker) }
    countOut(worker)
    let call = workRemains() ? callForWork() : .nobody
    unlock()
    place(call)
    if case .nobody = call { offerPlaceBelow() }
  }

  /// The worker goes on with its item. If it is now one too many it parks at
  /// the item's end.
  private func didUnblock(_ worker: WorkerPointer) {
    lock.lock()
    countIn(worker)
    unlock()
  }
}
