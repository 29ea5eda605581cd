// OperationQueue+Settings — the settings of a queue, and their checks.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

extension OperationQueue {
  final func setWidth(_ new: Int) {
    if new < 0 && new != OperationQueue.defaultMaxConcurrentOperationCount {
      clientBug(
        "maxConcurrentOperationCount = \(new) on \(title): give a number that is not negative, or "
          + "OperationQueue.defaultMaxConcurrentOperationCount for no limit.")
    }
    if isMain { return }
    lock.lock()
    width = new < 0 ? Int.max : new
    let next = workersToSend()
    lock.unlock()
    next.submit()
  }

  final func setSuspended(_ new: Bool) {
    if isMain { return }
    lock.lock()
    isHalted = new
    let next = workersToSend()
    lock.unlock()
    next.submit()
  }

  final func setBand(_ new: Band?) {
    if isMain { return }
    OperationClasses.noteUse()
    lock.withLock { ownBand = new }
  }

  final func setUnderlying(_ new: DispatchQueue?) {
    if isMain { return }
    let (left, old) = lock.withLock {
      let old = underlying
      if count == 0 && old !== new {
        underlying = new
        plan.pointee.sent.disown()
      }
      return (count, old)
    }
    if left > 0 {
      clientBug(
        "underlyingQueue was changed on \(title), in which there are \(counted(left, "operation")): set it "
          + "before operations are added, or when all are finished.")
    }
    withExtendedLifetime(old) {}
  }

  // MARK: Names

  final func setName(_ new: String?) {
    if isMain { return }
    let old = lock.withLock {
      let old = ownName
      ownName = new
      return old
    }
    withExtendedLifetime(old) {}
  }

  final var shownName: String {
    lock.withLock { ownName } ?? "NSOperationQueue \(address)"
  }

  final var words: String {
    let (all, begun) = lock.withLock { (count - barrierCount, running) }
    return "<OperationQueue \"\(shownName)\": \(counted(all, "operation")), \(begun) running>"
  }

  // MARK: The current one

  static var found: OperationQueue? {
    if let raw = ThreadHold.innermost(.operationQueue) {
      // SAFETY: a thread that runs an operation of the queue holds a reference to the queue.
      return Unmanaged<OperationQueue>.fromOpaque(raw).takeUnretainedValue()
    }
    return csb_thread_is_main() != 0 ? main : nil
  }
}
