// DeadlockReport — what is said of a deadlock, in one sentence, and to whom.
//
// To nobody in particular: the process ends with it. Or to a handler, and then the
// threads wait on, and each cycle is told once.
//
// Touching    `handler`, and `WaitRecord.told` of every record: under `lock`.
// Invariants  I1  `told` is the beginning of the wait in which its thread was last
//                 named in a report: it tells that wait from all others of the thread.

import CSignalbox
import Synchronization

package final class DeadlockReport: Sendable {
  package static let shared = DeadlockReport()

  package typealias Handler = @Sendable (String) -> Void

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var handler: Handler?
  /// Whether a thread has begun to end the process: others that find the same cycle,
  /// or another one, at the same time sleep on.
  private let isEnding = Atomic<Bool>(false)

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Has `new` called with each report from now on, in place of the trap. It runs on
  /// a thread that waits for the others: it must hand the text on, and not wait.
  package func handle(with new: Handler?) {
    ForkProtocol.arrange()
    let old = lock.withLock {
      let old = handler
      handler = new
      return old
    }
    // Freed here, after the lock is left.
    _ = old
  }

  /// Whether each thread of the cycle has been named in a report in this wait.
  func isTold(_ cycle: [DeadlockSearch.Step]) -> Bool {
    lock.withLock {
      for step in cycle where step.record.told != step.block.since { return false }
      return true
    }
  }

  /// Tells of a cycle that was not told yet.
  func tell(_ cycle: [DeadlockSearch.Step]) {
    let (isNews, handler) = lock.withLock {
      var isNews = false
      for step in cycle where step.record.told != step.block.since {
        isNews = true
        step.record.told = step.block.since
      }
      return (isNews, self.handler)
    }
    if isNews { respond(handler) { DeadlockReport.sentence(cycle) } }
  }

  private func respond(_ handler: Handler?, _ text: () -> String) {
    if let handler { return handler(text()) }
    // order: relaxed; only one thread gets `false`, nothing else hangs on it.
    if isEnding.exchange(true, ordering: .relaxed) { return }
    clientBug(text())
  }

  // MARK: Oneself

  /// Tells that the calling thread is about to wait for what it holds itself.
  ///
  /// - Parameters:
  ///   - resource: what it waits for, and holds.
  ///   - since: when it began to wait, by the uptime clock: asked again with the same
  ///     time, it says nothing. Otherwise it speaks each time.
  ///   - advice: what to do instead, in one sentence.
  /// - Returns: only where a handler was told.
  package static func tell(
    ofItself resource: WaitResource, since: UInt64? = nil,
    advice: String = "Use a recursive lock where the same thread comes twice."
  ) {
    shared.tell(ofItself: resource, since, advice)
  }

  private func tell(ofItself resource: WaitResource, _ since: UInt64?, _ advice: String) {
    let record = WaitRecord.ofThisThread
    let (isNews, handler) = lock.withLock {
      let isNews = since == nil || record.told != since
      if let since { record.told = since }
      return (isNews, self.handler)
    }
    guard isNews else { return }
    respond(handler) {
      let thread = csb_thread_number()
      let held = HeldLocks.ofThisThread?.list ?? []
      return "deadlock: \(ThreadName.of(thread)) waits for \(resource.description), held by that "
        + "thread itself. It can never go on. \(advice)" + LockTraces.text(of: thread, held)
    }
  }

  // MARK: Words

  /// Thread by thread: who it is, where, what it holds and what it waits for, and who
  /// holds that up. The threads stand still, so their records do too.
  static func sentence(_ cycle: [DeadlockSearch.Step]) -> String {
    let waits = cycle.map(\.record.current)
    let lists = cycle.map { LockOrder.valid($0.record.heldLocks) }
    var text = "deadlock: "
    for (index, step) in cycle.enumerated() {
      let next = cycle[(index + 1) % cycle.count].record
      let before = (index + cycle.count - 1) % cycle.count
      if index == 0 { text += name(step.record) }
      guard let wait = waits[index] else { continue }
      var held = lists[index].map(\.text)
      if let wanted = waits[before], wanted.reason.isForLock, cycle[before].hold.isWhole,
        !held.contains(wanted.resource)
      {
        held.append(wanted.resource)
      }
      var places = wait.place.isEmpty ? [] : [wait.place]
      if !held.isEmpty { places.append("holding \(held.joined(separator: " and "))") }
      if !places.isEmpty { text += ", \(places.joined(separator: ", "))," }
      text += " waits \(wait.reason.words) \(wait.resource) (for \(wait.length.words)), "
      text += wait.reason == .join ? "which is " : "\(step.hold.words) "
      if index + 1 == cycle.count {
        text += cycle.count == 1 ? "that thread itself" : "thread \(next.thread)"
      } else {
        text += name(next) + ", which"
      }
    }
    text += ". " + (cycle.count == 1 ? "It can never go on. " : "None can ever go on. ")
    text += advice(waits.contains { $0?.reason.isForLock == true })
    for (step, list) in zip(cycle, lists) { text += LockTraces.text(of: step.record.thread, list) }
    return text
  }

  private static func advice(_ hasLocks: Bool) -> String {
    hasLocks
      ? "Take locks and queues in the same order everywhere, or leave one before taking the next."
      : "Submit with async what need not be waited for, or take the queues in the same order "
        + "everywhere."
  }

  private static func name(_ record: WaitRecord) -> String {
    ThreadName.of(record.thread, record.kernelID, isMain: record.isMain)
  }
}

/// Where locks were taken, for the end of a report.
enum LockTraces {
  /// Some lines for each lock of the list, each after a line's end.
  static func text(of thread: UInt32, _ locks: [HeldLock]) -> String {
    locks.map { text("thread \(thread) took \($0.text) at", $0.trace) }.joined()
  }

  static func text(_ title: String, _ trace: Backtrace) -> String {
    "\n  \(title)" + trace.lines.map { "\n    \($0)" }.joined()
  }
}
