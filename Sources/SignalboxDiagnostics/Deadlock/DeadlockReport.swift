// DeadlockReport — the text of a deadlock's report, and where the report goes.
//
// A cycle that no other thread can end ends the process. A cycle that a thread outside it
// may still end goes to standard error, and appears in every report of waiting threads as
// long as it lasts. If there is a handler, it gets both kinds, and the threads wait on. If the
// environment's SIGNALBOX_ON_MISUSE is `report`, both kinds go to standard error. Each cycle is
// reported once.
//
// Touching    `handler`, `standing`, `version`, and `WaitRecord.told` and `toldAsFinal` of
//             every record: under `lock`.
// Invariants  I1  `told` is the beginning of the wait in which the thread was last named in
//                 a report: it distinguishes that wait from all others of the thread.
//                 `toldAsFinal` is the same for cycles that no other thread can end.

import CSignalbox
package import SignalboxRuntime

package final class DeadlockReport: Sendable {
  static let only = DeadlockReport()

  /// Call it with no lock of `ForkOrder` held.
  package static var shared: DeadlockReport {
    if !Fork.hasJoined(.deadlocks) { join() }
    return only
  }

  /// A deadlock that was found.
  package struct Finding: Sendable {
    package let text: String
    /// The numbers of the cycle's threads, in order; empty if the cycle does not consist of
    /// threads.
    package let threads: [UInt32]
    /// Whether no thread outside the cycle can end it.
    package let isFinal: Bool
    /// What the calling thread is about to wait for and holds itself; nil for any other cycle.
    package var ownResource: String?
  }

  package typealias Handler = @Sendable (Finding) -> Void

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var handler: Handler?
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var standing: [StandingDeadlock] = []
  /// The number of changes of `standing`.
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var version: UInt64 = 0
  /// Whether a thread has begun to end the process. Other threads that find a cycle at
  /// the same time continue to sleep. Any thread may set it; the exchange tells one thread that it
  /// was the first.
  private let isEnding = Relaxed(false)

  private static func join() {
    Fork.join(
      .deadlocks, prepare: { DeadlockReport.only.lock.lock() },
      release: { DeadlockReport.only.lock.unlock() },
      making: { LazyStatics.forceDeadlocks() })
  }

  /// Calls `new` with each report from now on, instead of the trap. The handler runs on a thread
  /// that is in the cycle or waits for it, so the handler must pass the finding on and not wait.
  package func handle(with new: Handler?) {
    let old = lock.withLock {
      let old = handler
      handler = new
      return old
    }
    // Free the old handler here, after the lock is released.
    _ = old
  }

  /// Whether every thread of the cycle has been named in a report of this kind during
  /// this wait.
  func isTold(_ cycle: [DeadlockSearch.Step]) -> Bool {
    let isFinal = DeadlockReport.isFinal(cycle)
    return lock.withLock { !cycle.contains { !$0.isTold(asFinal: isFinal) } }
  }

  /// Reports a cycle unless it has been reported.
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
    respond(handler, Finding(text: text, threads: cycle.map(\.record.thread), isFinal: isFinal))
    if !isFinal || OnMisuse.reports {
      keep(StandingDeadlock(text, cycle.map { ($0.record, $0.block.since) }))
    }
  }

  /// Reports a cycle that the search does not see, because it goes through operations or through
  /// another library. A call of another thread may still end it.
  package func tellStuck(_ text: String) {
    respond(lock.withLock { handler }, Finding(text: text, threads: [], isFinal: false))
  }

  /// Whether no thread outside the cycle can end it.
  private static func isFinal(_ cycle: [DeadlockSearch.Step]) -> Bool {
    !cycle.contains { $0.release != .nobody }
  }

  private func respond(_ handler: Handler?, _ finding: Finding) {
    if let handler { return handler(finding) }
    if !finding.isFinal || OnMisuse.reports { return warn(finding.text) }
    if isEnding.setFirst() { clientBug(finding.text) }
  }

  // MARK: Deadlocks that last

  /// The reports of the deadlocks that have not ended since.
  package var standingTexts: [String] { keep(nil).filter { $0.fate == .lasts }.map(\.text) }

  /// Forgets the deadlocks that have ended, and adds `new` unless it is nil.
  @discardableResult
  private func keep(_ new: StandingDeadlock?) -> [StandingDeadlock] {
    // A record that is in no list belongs to a thread that has ended, or to the parent
    // process.
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
    // Free the old list here, after the lock is released.
    withExtendedLifetime(old) {}
    return kept
  }

  // MARK: A thread that waits for itself

  /// Reports that the calling thread is about to wait for something that it holds itself.
  ///
  /// - Parameters:
  ///   - resource: what the thread waits for, and holds.
  ///   - since: when the wait began, on the uptime clock. A second call with the same time
  ///     reports nothing; without a time, every call reports.
  ///   - advice: what to do instead, in one sentence.
  /// - Returns: only if a handler took the report, if another thread may end the wait, or if
  ///   `SIGNALBOX_ON_MISUSE` is `report`.
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
    let stack = WaitStack.ofThisThread()
    let text =
      "deadlock: \(ThreadName.of(thread)) waits for \(resource.description), held by that "
      + "thread itself. "
      + DeadlockReport.outlook(threads: 1, [resource.release.words(resource.description)])
      + " \(advice)" + LockTraces.text(of: thread, held)
      + stack.stackWords(ofThread: thread, in: Symbolizer(stack.addresses))
    respond(
      handler,
      Finding(
        text: text, threads: [thread], isFinal: isFinal, ownResource: resource.description))
    // The thread publishes this wait next.
    if let since, !isFinal || OnMisuse.reports { keep(StandingDeadlock(text, [(record, since)])) }
  }

  // MARK: Words

  /// Describes each thread: its name, its place, what it holds, what it waits for, and which
  /// thread holds it up. The threads stay in their waits, so their records do not change.
  static func sentence(_ cycle: [DeadlockSearch.Step]) -> String {
    let waits = cycle.map { $0.record.current(withFunctions: true) }
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
      if let task = wait.task { places.append("in \(task)") }
      if !held.isEmpty { places.append("holding \(held.joined(separator: " and "))") }
      if !places.isEmpty { text += ", \(places.joined(separator: ", "))," }
      text += " waits \(wait.reason.words) \(wait.resource) (for \(wait.length.words)), "
      // A thread that is joined is itself the resource, so a join says "which is".
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
    return text + stacks(of: waits.compactMap { $0 })
  }

  /// Says whether the wait can ever end.
  ///
  /// - Parameter releases: for each wait, the words after "another thread" that say how such a
  ///   thread can end it; empty if none can.
  private static func outlook(threads: Int, _ releases: [String]) -> String {
    var ways: [String] = []
    for release in releases where !release.isEmpty && !ways.contains(release) {
      ways.append(release)
    }
    guard !ways.isEmpty else {
      return threads == 1 ? "It can never continue." : "None can ever continue."
    }
    return (threads == 1 ? "It continues" : "They continue") + " only if another thread "
      + ways.joined(separator: ", or ") + "."
  }

  private static func advice(_ hasLocks: Bool) -> String {
    hasLocks
      ? "Take locks and queues in the same order everywhere, or leave one before taking the next."
      : "Submit with async what need not be waited for, or take the queues in the same order "
        + "everywhere."
  }

  /// The stack of each thread.
  private static func stacks(of waits: [WaitRecord.Snapshot]) -> String {
    let symbols = Symbolizer(waits.flatMap(\.functions.addresses))
    return waits.map { $0.functions.stackWords(ofThread: $0.thread, in: symbols) }.joined()
  }

  private static func name(_ record: WaitRecord) -> String {
    ThreadName.of(record.thread, record.kernelID, isMain: record.isMain)
  }
}

extension DeadlockSearch.Step {
  /// Whether the thread was named in a report of this kind during this wait. The caller
  /// holds the lock of `DeadlockReport`.
  fileprivate func isTold(asFinal: Bool) -> Bool {
    (asFinal ? record.toldAsFinal : record.told) == block.since
  }
}

/// A reported deadlock, and the waits that form it.
private struct StandingDeadlock {
  let text: String
  private let waits: [(record: WaitRecord, since: UInt64)]

  init(_ text: String, _ waits: [(WaitRecord, UInt64)]) {
    self.text = text
    self.waits = waits
  }

  /// Whether none of its threads has ended.
  func isAmong(_ records: Set<ObjectIdentifier>) -> Bool {
    waits.allSatisfy { records.contains(ObjectIdentifier($0.record)) }
  }

  /// `lasts` if each thread is still in its wait; `over` if one has left it.
  var fate: WaitRecord.Fate {
    let fates = waits.map { $0.record.fate(ofWaitSince: $0.since) }
    if fates.contains(.over) { return .over }
    return fates.contains(.unclear) ? .unclear : .lasts
  }
}

/// The places where locks were taken, for the end of a report.
enum LockTraces {
  /// Some lines for each lock of the list, each after a line break.
  static func text(of thread: UInt32, _ locks: [HeldLock]) -> String {
    locks.map { text("thread \(thread) took \($0.text) at", $0.trace) }.joined()
  }

  static func text(_ title: String, _ trace: Backtrace) -> String {
    "\n  \(title)" + trace.lines.map { "\n    \($0)" }.joined()
  }
}
