// Pool+Blocking — replaces a worker that waits by another one.

import CSignalbox
import Synchronization

extension Pool {
  /// `Parking` calls this before it sleeps.
  ///
  /// - Returns: the worker of this thread, if it has one. The end of the wait must then
  ///   call `didUnblock`.
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
    // No other worker would take what a waiting worker keeps for itself.
    appendOwn(of: worker)
    if worker.isCountedOut { takeBackCountingOut(worker) }
    countOut(worker)
    let call = workRemains() ? callForWork() : .nobody
    unlock()
    carryOut(call)
    if case .nobody = call { offerPermitBelow() }
  }

  /// Counts the worker in again; it continues its item. If it is now one too many, it
  /// parks at the end of the item.
  private func didUnblock(_ worker: WorkerPointer) {
    lock.lock()
    countIn(worker)
    unlock()
  }
}
