// Pool+Blocking — lets another worker take the place of one that waits.

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
    // Move the worker's own runnables to the run queue: no other worker would take what a waiting
    // worker keeps for itself.
    appendOwn(of: worker)
    if worker.isCountedOut { takeBackCountingOut(worker) }
    countOut(worker)
    let remains = workRemains()
    shared.pointee.counts.blocked += 1
    // This counts a replacement in both cases: if it calls a worker now, and if a worker is already
    // looking for work.
    let isReplaced = remains && shared.pointee.running < permits
    if isReplaced { shared.pointee.counts.replaced += 1 }
    let (running, total) = (shared.pointee.running, shared.pointee.total)
    let call = remains ? callForWork() : .nobody
    unlock()
    Probe.workerBlocked(worker, running: running, total: total, isReplaced: isReplaced)
    carryOut(call)
    if call.isNobody { offerPermitBelow() }
  }

  /// Counts the worker as running again; it continues its item. If too many workers run now, it
  /// parks at the end of the item.
  private func didUnblock(_ worker: WorkerPointer) {
    lock.lock()
    countIn(worker)
    shared.pointee.counts.blocked -= 1
    unlock()
    Probe.workerUnblocked(worker)
  }
}
