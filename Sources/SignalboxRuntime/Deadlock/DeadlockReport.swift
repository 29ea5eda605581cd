// DeadlockReport — what is said of a deadlock, in one sentence, and to whom.
//
// A cycle that nobody can end ends the process. One that a thread outside it may still end is
// said on standard error, and stands in every report of who waits as long as it stands. Where
// there is a handler, it gets either kind, and the threads wait on. Each cycle is told once.
//
// Touching    `handler`, `standing`, `version`, and `WaitRecord.told` and `toldAsFinal` of every record:
//             under `lock`.
// Invariants  I1  `told` is the beginning of the wait in which its thread was last
//                 named in a report: it tells that wait from all others of the thread.
//                 `toldAsFinal` is the same for cycles that nobody can end.

import CSignalbox
import Synchronization

package final class DeadlockReport: Sendable {
  package static let shared = DeadlockReport()

  package typealias Handler = @Sendable (String) -> Void

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var handler: Handler?
  // SAFETY: as above.
  private nonisolated(unsafe) var standing: [StandingDeadlock] = []
  /// How often that was changed.
  // SAFETY: as above.
  private nonisolated(unsafe) var version: UInt64 = 0
  /// Whether a thread has begun to end the process: others that find the same cycle,
  /// or another one, at the same time sleep on.
  private let isEnding = Atomic<Bool>(false)

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Has `new` called with each report from now on, in place of the trap. It runs on
  /// a thread that waits for the others: it must hand the text on, and not wait.
  package func handle(with new: Handler?) {
    Fork.joinRuntime()
    let old = lock.withLock {
      let old = handler
      handler = new
      return old
    }
    // Freed here, after the lock is left.
    _ = old
  }

  /// Whether each thread of the cycle has been named in such a report in this wait.
  func isTold(_ cycle: [DeadlockSearch.Step]) -> Bool {
    let isFinal = DeadlockReport.isFinal(cycle)
    return lock.withLock { !cycle.contains { !$0.isTold(asFinal: isFinal) } }
  }

  /// Tells of a cycle that was not told yet.
  func tell(_ cycle: [DeadlockSearch.Step]) {
    let isFinal = DeadlockReport.isFinal(cycle)
    let (isNews, handler) = lock.withLock {
      var isNews = false
      for step in cycle where !step.isTold(asFinal: isFinal) {
        isNews = true
        step.record.told = step.block.since
        if isFinal { step.record.toldAsFinal = step.block.since }
      }
      return (isNews, self.handler)
    }
    guard isNews else { return }
    let text = DeadlockReport.sentence(cycle)
    respond(handler, text, isFinal: isFinal)
    if !isFinal { keep(StandingDeadlock(text, cycle.map { ($0.record, $0.block.since) })) }
  }

  /// Tells of something else that waits for itself, and that a call may still end.
  package func tellStuck(_ text: String) {
    respond(lock.withLock { handler }, text, isFinal: false)
  }

  /// Whether no thread outside the cycle can end it.
  private static func isFinal(_ cycle: [DeadlockSearch.Step]) -> Bool {
    !cycle.contains { $0.release != .nobody }
  }

  private func respond(_ handler: Handler?, _ text: String, isFinal: Bool) {
    if let handler { return handler(text) }
    if !isFinal { return complain(text) }
    // order: relaxed; only one thread gets `false`, nothing else hangs on it.
    if isEnding.exchange(true, ordering: .relaxed) { return }
    clientBug(text)
  }

  // MARK: Those that stand

  /// What was told of the deadlocks that have not been ended since.
  package var standingTexts: [String] { keep(nil).filter { $0.fate == .lasts }.map(\.text) }

  /// Forgets those that have been ended, and adds one.
  @discardableResult
  private func keep(_ new: StandingDeadlock?) -> [StandingDeadlock] {
    // A record that is in no list belongs to a thread that has ended, or to the parent.
    let records = Set(WaitRegistry.shared.records.map { ObjectIdentifier($0) })
    let (seen, version) = lock.withLock { (standing, self.version) }
    let kept =
      seen.filter { $0.isAmong(records) && $0.fate != .over } + (new.map { [$0] } ?? [])
    let old = lock.withLock {
      let old = standing
      if self.version == version { standing = kept } else if let new { standing.append(new) }
      self.version += 1
      return old
    }
    // Freed here, after the lock is left.
    withExtendedLifetime(old) {}
    return kept
  }

  // MARK: Oneself

  /// Tells that the calling thread is about to wait for what it holds itself.
  ///
  /// - Parameters:
  ///   - resource: what it waits for, and holds.
  ///   - since: when it began to wait, by the uptime clock: asked again with the same
  ///     time, it says nothing. Otherwise it speaks each time.
  ///   - advice: what to do instead, in one sentence.
  /// - Returns: only where a handler was told, or another thread may end the wait.
  package static func tell(
    ofItself resource: WaitResource, since: UInt64? = nil,
    advice: String = "Use a recursive lock if a thread may take it twice."
  ) {
    shared.tell(ofItself: resource, since, advice)
  }

  private func tell(ofItself resource: WaitResource, _ since: UInt64?, _ advice: String) {
    let record = WaitRecord.ofThisThread
    let isFinal = resource.release == .nobody
    let (isNews, handler) = lock.withLock {
      let isNews = since == nil || record.told != since
      if let since {
        record.told = since
        if isFinal { record.toldAsFinal = since }
      }
      return (isNews, self.handler)
    }
    guard isNews else { return }
    let thread = csb_thread_number()
    let held = HeldLocks.ofThisThread?.list ?? []
    let text =
      "deadlock: \(ThreadName.of(thread)) waits for \(resource.description), held by that "
      + "thread itself. "
      + DeadlockReport.outlook(threads: 1, [resource.release.words(resource.description)])
      + " \(advice)" + LockTraces.text(of: thread, held)
    respond(handler, text, isFinal: isFinal)
    // The wait is about to be published.
    if let since, !isFinal { keep(StandingDeadlock(text, [(record, since)])) }
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
      if let wanted = waits[before], wanted.reason.needsLock, cycle[before].hold.isWhole,
        !held.contains(wanted.resource)
      {
        held.append(wanted.resource)
      }
      var places = wait.place.isEmpty ? [] : [wait.place]
      if !held.isEmpty { places.append("holding \(held.joined(separator: " and "))") }
      if !places.isEmpty { text += ", \(places.joined(separator: ", "))," }
      text += " waits \(wait.reason.words) \(wait.resource) (for \(wait.length.words)), "
      // Of a thread that is joined the end is its own.
      text += wait.reason == .join && step.hold.isWhole ? "which is " : "\(step.hold.words) "
      if index + 1 == cycle.count {
        text += cycle.count == 1 ? "that thread itself" : "thread \(next.thread)"
      } else {
        text += name(next) + ", which"
      }
    }
    let releases = zip(cycle, waits).map { $0.release.words($1?.resource ?? "it") }
    text += ". \(outlook(threads: cycle.count, releases)) "
    text += advice(waits.contains { $0?.reason.isForLock == true })
    for (step, list) in zip(cycle, lists) { text += LockTraces.text(of: step.record.thread, list) }
    return text
  }

  /// Whether it can ever end.
  ///
  /// - Parameter releases: what another thread may do, after these words; empty for nothing.
  private static func outlook(threads: Int, _ releases: [String]) -> String {
    var ways: [String] = []
    for release in releases where !release.isEmpty && !ways.contains(release) {
      ways.append(release)
    }
    guard !ways.isEmpty else {
      return threads == 1 ? "It can never go on." : "None can ever go on."
    }
    return (threads == 1 ? "It goes" : "They go") + " on only if another thread "
      + ways.joined(separator: ", or ") + "."
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

extension DeadlockSearch.Step {
  /// Under the lock of `DeadlockReport`: whether its thread was named in such a report in this
  /// wait.
  fileprivate func isTold(asFinal: Bool) -> Bool {
    (asFinal ? record.toldAsFinal : record.told) == block.since
  }
}

/// A deadlock that was told, and the waits of which it is made.
private struct StandingDeadlock {
  let text: String
  private let waits: [(record: WaitRecord, since: UInt64)]

  init(_ text: String, _ waits: [(WaitRecord, UInt64)]) {
    self.text = text
    self.waits = waits
  }

  /// Whether each of its threads has not ended.
  func isAmong(_ records: Set<ObjectIdentifier>) -> Bool {
    waits.allSatisfy { records.contains(ObjectIdentifier($0.record)) }
  }

  /// `lasts` if each of its threads is in its wait; `over` if one is in another.
  var fate: WaitRecord.Fate {
    let fates = waits.map { $0.record.fate(ofWaitSince: $0.since) }
    if fates.contains(.over) { return .over }
    return fates.contains(.unclear) ? .unclear : .lasts
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
