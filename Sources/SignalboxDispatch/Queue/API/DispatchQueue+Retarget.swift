// DispatchQueue+Retarget — changes the target of a queue that is active, as C code may.
//
// C code creates a queue and then gives it a target, so the queue is already active by then. Such a
// queue is made *retargetable*: no `sync` takes the fast path, which ignores the target.
//
// Only the owner of a queue changes its target. If the queue is idle, the thread that asks becomes
// the owner for that moment. If it is busy, a barrier in its list makes the change: the items
// before it run on the old target, those after it on the new one. The owner that runs the barrier
// is a thread of the old target and must leave the queue. So the barrier suspends the queue. Each
// owner's loop notices the suspension before its next item and leaves the queue by `leave`,
// `yieldThread` or, if it finds no item, `finish`. Each of these ends the suspension first.
//
// A drain task may be in the old target's list at that moment. The thread on which it arrives takes
// the queue, finds that it does not run on the queue's target, and leaves the queue again. Leaving
// sends the drain task to the new target.
//
// A thread that submits an item while the target changes finds the old target or the new one.
// Both stay valid, because a queue keeps the targets that it had.
//
// Not found   a cycle of two queues that two threads make at the same moment, each giving one queue
//             the other as its target.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// A queue that C code may give another target while it is active.
  package static func makeRetargetable(
    label: String, qos: DispatchQoS, isConcurrent: Bool
  ) -> DispatchQueue {
    DispatchQueue(
      shape: isConcurrent ? .concurrent : .serial, label: label, qos: qos, inactive: false,
      target: nil, retargetable: true)
  }

  /// Makes `queue` the target, or the pool if it is nil: at once if the queue is idle, otherwise
  /// after the items that were submitted before. It traps if the queue is active and cannot get
  /// another target. On a global queue and on the main queue, it has no effect.
  ///
  /// - Parameter call: the function that the program called.
  package final func retarget(to queue: DispatchQueue?, _ call: StaticString) {
    if shape == .global || shape == .main { return }
    if state.snapshot.isInactive && shape != .workloop {
      if let queue { setTarget(queue: queue) } else { point(at: nil) }
      return
    }
    guard entry == .retargetable else {
      clientBug(
        "\(call) on the queue \(quotedLabel), which is active: give the target when the queue is "
          + "made, or make it initially inactive.")
    }
    if let queue { checkCycle(queue) }
    let thread = csb_thread_number()
    guard list.isEmpty(), state.tryTake(thread) else {
      return push(
        ClosureItem.make(
          { self.change(to: queue) }, flags: marks(.unspecified, .barrier), group: nil))
    }
    replaceTarget(by: queue)
    if !state.tryGiveUp(thread) { giveUpSlow(thread) }
  }

  /// Changes the target of a busy queue, as a barrier in its list. This thread owns the queue.
  private func change(to queue: DispatchQueue?) {
    if let queue { checkCycle(queue) }
    replaceTarget(by: queue)
    _ = specifics.replace(changeKey, by: SpecificValue(address: changeKey))
    suspend()
  }

  /// Ends the suspension that `change` began to make the owner leave. The owner calls this before
  /// it leaves.
  ///
  /// - Returns: whether there was such a suspension.
  @inline(never) @discardableResult
  final func endRetarget() -> Bool {
    guard specifics.mayHold(changeKey), specifics.replace(changeKey, by: nil) != nil else {
      return false
    }
    resume()
    return true
  }

  /// The key of a value that marks the queue as suspended because its target has changed. No
  /// program can use this address as a key.
  private var changeKey: UnsafeRawPointer { UnsafeRawPointer(recordPointer) }

  /// Whether this thread, on which a drain task of the queue has arrived, is on the queue's target,
  /// or on no queue if the target is the pool.
  final var isOnTarget: Bool {
    let innermost = QueueFrame.innermost?.pointee.queue
    guard let target else { return innermost == nil }
    return innermost?._withUnsafeGuaranteedRef { $0 === target } == true
  }

  private func replaceTarget(by queue: DispatchQueue?) {
    if let target { keep(target) }
    point(at: queue)
  }

  /// Keeps a former target alive as long as this queue.
  private func keep(_ former: DispatchQueue) {
    let value = FormerTarget(former)
    _ = specifics.replace(value.address, by: value)
  }
}

/// A former target. A queue keeps each former target once. The key is an address inside the target,
/// which no program can use as a key.
private final class FormerTarget: SpecificValue {
  let queue: DispatchQueue

  init(_ queue: DispatchQueue) {
    self.queue = queue
    super.init(address: UnsafeRawPointer(queue.recordPointer))
  }
}
