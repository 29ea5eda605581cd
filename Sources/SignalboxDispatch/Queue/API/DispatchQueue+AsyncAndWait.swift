// DispatchQueue+AsyncAndWait — runs an item while its caller waits.
//
// If the queue is free, the caller takes it and runs the work itself, as in `sync`. Otherwise the
// caller appends the work to the list as an item. The thread that drains the queue runs the item,
// so the queue need not be handed to the caller and back.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// Runs `workItem`, unless it was cancelled, and returns when it has ended.
  ///
  /// It works like ``asyncAndWait(execute:)`` with a closure, but with the item's flags and quality
  /// of service.
  public final func asyncAndWait(execute workItem: DispatchWorkItem) {
    callAndWait(workItem.qos, workItem.flags) { workItem.runSubmitted() }
  }

  /// Runs `workItem` as an item of the queue and returns when it has ended.
  ///
  /// It works like the form that returns a result.
  public final func asyncAndWait(execute workItem: () -> Void) {
    callAndWait(.unspecified, [], workItem)
  }

  /// Runs `work` as an item of the queue and returns its result or throws its error.
  ///
  /// If the queue is free, `work` runs on the calling thread. Otherwise it runs on the thread that
  /// drains the queue, while the caller waits. If the queue has a quality of service, the work runs
  /// at it. If the caller's is higher, the queue is drained at the caller's until the work begins,
  /// unless the work enforces its own. A call from an item of the same serial queue traps.
  ///
  /// Source: Apple's documentation of `asyncAndWait(execute:)`.
  public final func asyncAndWait<T>(execute work: () throws -> T) rethrows -> T {
    try callAndWait(.unspecified, [], work)
  }

  /// Runs `work` as an item of the queue and returns its result or throws its error. With
  /// `.barrier`, it runs alone on a concurrent queue.
  public final func asyncAndWait<T>(
    flags: DispatchWorkItemFlags, execute work: () throws -> T
  ) rethrows -> T {
    try callAndWait(.unspecified, flags, work)
  }

  private final func callAndWait<T>(
    _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags, _ work: () throws -> T
  ) rethrows -> T {
    if Fork.hasHappened { checkFork() }
    let marks = marks(qos, flags)
    switch shape {
    case .main:
      return try MainQueueDrain.shared.sync(self) { try runFramed(work) }
    case .global:
      return try runMarked(marks, work)
    case .concurrent where !flags.contains(.barrier):
      if list.isEmpty() && state.tryShare() {
        defer { if !state.tryUnshare() { unshareSlow() } }
        return try holdTarget { try runMarked(marks, work) }
      }
    case .serial, .concurrent, .workloop:
      let thread = csb_thread_number()
      if list.isEmpty() && state.tryTake(thread) {
        list.counts.countTurn()
        defer { if !state.tryGiveUp(thread) { giveUpSlow(thread) } }
        return try holdTarget { try runMarked(marks, work) }
      }
    }
    checkMayWait(alone: flags.contains(.barrier))
    return try RemoteCall.run(on: self, flags: hurrying(marks), work)
  }

  private final func runMarked<T>(_ marks: Item.Flags, _ work: () throws -> T) rethrows -> T {
    try Urgency.keeping {
      Urgency.ofThisThread = urgencyWhileRunning(marks)
      return try runFramed(work)
    }
  }

  /// Traps if an item of this queue cannot begin before this thread continues.
  private final func checkMayWait(alone: Bool) {
    let thread = csb_thread_number()
    var next: DispatchQueue? = self
    while let queue = next {
      queue.checkNesting()
      let holdsAlone =
        queue.shape == .main ? csb_thread_is_main() != 0 : queue.state.snapshot.owner == thread
      if holdsAlone || (alone && queue === self && QueueFrame.isDirectlyOn(self)) {
        selfDeadlock(
          "asyncAndWait on the queue \(quotedLabel) from work that runs on \(queue.quotedLabel): "
            + "this thread would wait for itself forever. Call the work directly, or submit it "
            + "with async.", for: .sync, on: resource)
      }
      next = queue.target
    }
  }
}
