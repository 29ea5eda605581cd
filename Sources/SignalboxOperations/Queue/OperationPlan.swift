// OperationPlan — what a queue has to run, and which workers are on their way to it.
//
// It has memory of its own: in the queue's object each of its functions that changes
// something would first be looked up among the accesses of the thread, which costs as much
// as the change.
//
// Touching    everything: under the lock of the queue.

struct OperationPlan: ~Copyable {
  var lines = OperationLines()
  var eras = OperationEras()
  var sent = SentWorkers()

  /// Puts an operation that is ready where it waits for its turn.
  mutating func enqueue(_ operation: Operation) {
    operation.isLinked = true
    if eras.isOpen(to: operation) { lines.append(operation) } else { eras.hold(operation) }
  }

  /// Takes it out of there.
  mutating func unlink(_ operation: Operation) {
    operation.isLinked = false
    if eras.isOpen(to: operation) { lines.remove(operation) } else { eras.letGo(operation) }
  }

  /// An operation is over.
  mutating func leave(_ operation: Operation) {
    if eras.areCounted { eras.leave(operation, opening: &lines) }
  }

  static func make() -> UnsafeMutablePointer<OperationPlan> {
    let plan = UnsafeMutablePointer<OperationPlan>.allocate(capacity: 1)
    plan.initialize(to: OperationPlan())
    return plan
  }

  static func free(_ plan: UnsafeMutablePointer<OperationPlan>) {
    plan.pointee.lines.release()
    plan.deinitialize(count: 1)
    plan.deallocate()
  }
}
