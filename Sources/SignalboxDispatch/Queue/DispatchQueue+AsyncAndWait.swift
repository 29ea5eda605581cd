// DispatchQueue+AsyncAndWait — work that its caller waits for, as an item of the
// queue.
//
// Where the queue is free the caller takes it and runs the work itself, as in
// `sync`. Otherwise the work stands in the list as an item, which whoever serves
// the queue runs: nothing is handed to the caller and back.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// Runs `workItem`, unless it was cancelled, and returns when it has ended.
  ///
  /// As `asyncAndWait(execute:)` with a closure; the item's flags and quality of
  /// service count.
  public final func asyncAndWait(execute workItem: DispatchWorkItem) {
    callAndWait(workItem.qos, workItem.flags) { workItem.runSubmitted() }
  }

  /// Runs `workItem` as an item of the queue and returns when it has ended.
  ///
  /// As the form with a result.
  public final func asyncAndWait(execute workItem: () -> Void) {
    callAndWait(.unspecified, [], workItem)
  }

  /// Runs `work` as an item of the queue and returns its result or throws its error.
  ///
  /// It runs on this thread if the queue is free, else on the one that serves the
  /// queue, hence perhaps beside what waits for it. It is as urgent as the queue
  /// says, if that says anything. `asyncAndWait` onto the serial queue one is
  /// running on traps.
  ///
  /// Source: Apple's documentation of `asyncAndWait(execute:)`.
  public final func asyncAndWait<T>(execute work: () throws -> T) rethrows -> T {
    try callAndWait(.unspecified, [], work)
  }

  /// Runs `work`, with `.barrier` alone on a concurrent queue, as an item of the
  /// queue, and returns its result or throws its error.
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
        defer { if !state.tryGiveUp(thread) { giveUpSlow(thread) } }
        return try holdTarget { try runMarked(marks, work) }
      }
    }
    checkMayWait(alone: flags.contains(.barrier))
    return try RemoteCall.run(on: self, flags: marks, work)
  }

  private final func runMarked<T>(_ marks: Item.Flags, _ work: () throws -> T) rethrows -> T {
    try Urgency.keeping {
      Urgency.ofThisThread = urgencyWhileRunning(marks)
      return try runFramed(work)
    }
  }

  /// Traps if an item of this queue could not begin before this thread goes on.
  private final func checkMayWait(alone: Bool) {
    let thread = csb_thread_number()
    var next: DispatchQueue? = self
    while let queue = next {
      let holdsAlone =
        queue.shape == .main ? csb_thread_is_main() != 0 : queue.state.snapshot.owner == thread
      if holdsAlone || (alone && queue === self && QueueFrame.isDirectlyOn(self)) {
        clientBug(
          "asyncAndWait on the queue \(quotedLabel) from work that runs on \(queue.quotedLabel): "
            + "this thread would wait for itself for ever. Call the work directly, or submit it "
            + "with async.")
      }
      next = queue.target
    }
  }
}
