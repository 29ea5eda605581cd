// Pool+Blocking — what the pool does when a worker waits: another takes over.

public import CSignalbox
public import Synchronization

extension Pool {
  /// Called by the waiting door before it sleeps.
  ///
  /// - Returns: whether this thread is a worker, so that the end of the wait
  ///   must be told too.
  static func thisWorkerWillBlock(_ reason: WaitReason) -> Bool {
    guard let worker = Worker.ofThisThread else { return false }
    Engine.current.pool.willBlock(worker)
    return true
  }

  static func thisWorkerDidUnblock() {
    Engine.current.pool.didUnblock()
  }

  private func willBlock(_ worker: WorkerPointer) {
    lock.lock()
    // Nobody can take from the slot of a worker that waits.
    // order: acquiring, W1
    if let own = worker.pointee.slot.exchange(nil, ordering: .acquiring) {
      append(own, band: .standard)
    }
    shared.pointee.running -= 1
    updateSlotHint()
    let call = workRemains() ? callForWork() : .nobody
    lock.unlock()
    place(call)
  }

  /// The worker goes on with its item. If it is now one too many it parks at
  /// the item's end.
  private func didUnblock() {
    lock.lock()
    shared.pointee.running += 1
    updateSlotHint()
    lock.unlock()
  }
}
