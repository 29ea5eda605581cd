// OperationPlan — what a queue has to run, and the workers that it has sent.
//
// It lives in memory of its own: inside the queue's object, each mutating function would first
// check the access in the runtime's exclusivity set, which costs as much as the change itself.
//
// Touching    everything: under the lock of the queue.

struct OperationPlan: ~Copyable {
  var lines = OperationLines()
  var generations = BarrierGenerations()
  var sent = SentWorkers()

  /// Adds a ready operation to the line or generation in which it waits for its
  /// turn.
  mutating func enqueue(_ operation: Operation) {
    operation.isLinked = true
    if generations.isOpen(to: operation) {
      lines.append(operation)
    } else {
      generations.hold(operation)
    }
  }

  /// Removes an operation from the line or generation in which it waits for its
  /// turn.
  mutating func unlink(_ operation: Operation) {
    operation.isLinked = false
    if generations.isOpen(to: operation) {
      lines.remove(operation)
    } else {
      generations.letGo(operation)
    }
  }

  /// Removes a finished operation from its generation.
  mutating func leave(_ operation: Operation) {
    if generations.areCounted { generations.leave(operation, opening: &lines) }
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
