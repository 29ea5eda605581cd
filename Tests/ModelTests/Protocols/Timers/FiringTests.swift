// FiringTests — the model of a firing in `SignalboxRuntime/Driver/SourceTimer.swift`. The poller
// begins it under the driver's lock; the source's run counts and ends it, and takes the lock only if
// the timer came due again in the meantime.

import Testing

enum FiringSite: Site {
  /// SS1: each change of the source's word, which here has the pending event only.
  case change

  var access: Access { .update }
  var ordering: Ordering { .acquireRelease }
  var operations: [String] { ["Source/SourceState.change:SS1"] }
}

struct FiringModel: Sendable {
  /// Ways to get it wrong.
  enum Mistake {
    /// The end of a firing does not look whether the timer was left out.
    case endsWithoutLook
    /// A run that has seen no firing ends one.
    case endsUnseen
    /// A left-out timer becomes pending again although another firing is under way.
    case armsWhileUnderWay
    /// A new schedule leaves the count of the old one.
    case keepsTheCount
    /// The poller begins a firing while another is under way.
    case beginsTwice
    /// The poller does not write the source's word if an event is pending already.
    case wakesWithoutWriting
  }

  private enum Bits { static let underWay = 1, leftOut = 2, countShift = 2 }
  private enum Word { static let enqueued = 1, event = 2 }

  let word: Atomic
  /// The source's word, and 1 while its item is on the target queue.
  let source: Atomic
  let item: Atomic
  /// The driver's lock, and what it guards: whether the timer is pending, how often its schedule was
  /// due so far, and how often according to the count.
  let lock: Atomic
  let pending: Plain
  let due: Plain
  let counted: Plain
  /// How often the handlers were told that it was due. Only the source's runs touch it.
  let told: Plain
  let orderings: Orderings<FiringSite>
  let mistake: Mistake?

  init(_ p: inout Program, _ orderings: Orderings<FiringSite>, _ mistake: Mistake? = nil) {
    word = p.atomic("firing")
    source = p.atomic("source")
    item = p.atomic("item")
    lock = p.atomic("driver's lock")
    pending = p.plain("pending", 1)
    due = p.plain("due")
    counted = p.plain("counted")
    told = p.plain("told")
    self.orderings = orderings
    self.mistake = mistake
  }

  // MARK: The driver

  /// The timer's time comes, and the poller looks.
  func comesDue(_ t: ModelThread) throws { try comesDue(1, t) }

  /// It counts as `times` times, so that the sum shows what was counted.
  func comesDue(_ times: Int, _ t: ModelThread) throws {
    try t.lock(lock)
    try t.write(try t.read(due) + times, to: due)
    var fires = false
    if try t.read(pending) == 1 {
      fires = try mistake == .beginsTwice || !changeUnderWay(t) { $0 | Bits.leftOut }
      try t.write(fires ? 1 : 0, to: pending)
      if fires { try begin(t) }
    }
    try t.unlock(lock)
    if fires { try wake(t) }
  }

  private func begin(_ t: ModelThread) throws {
    let count = try advance(t)
    try t.store(count << Bits.countShift | Bits.underWay, to: word, .relaxed)
  }

  private func advance(_ t: ModelThread) throws -> Int {
    let now = try t.read(due)
    let count = now - (try t.read(counted))
    try t.write(now, to: counted)
    return count
  }

  private func changeUnderWay(
    _ t: ModelThread, _ change: (Int) -> Int
  ) throws -> Bool {
    let old = try t.load(word, .relaxed)
    if old == 0 { return false }
    return try t.compareExchange(word, expected: old, desired: change(old), .relaxed).exchanged
  }

  /// A thread sets a new schedule, which is due for the first time when the old one is next.
  func schedule(_ t: ModelThread) throws {
    try t.lock(lock)
    if mistake != .keepsTheCount { _ = try changeUnderWay(t) { _ in Bits.underWay } }
    try t.write(1, to: pending)
    try t.write(0, to: due)
    try t.write(0, to: counted)
    try t.unlock(lock)
  }

  // MARK: The source

  func wake(_ t: ModelThread) throws {
    if mistake == .wakesWithoutWriting {
      let seen = try t.load(source, .relaxed)
      if seen == Word.event | Word.enqueued { return }
    }
    let old = try t.transform(source, orderings[.change]) { $0 | Word.event | Word.enqueued }
    if old & Word.enqueued == 0 { _ = try t.exchange(item, 1, .release) }
  }

  func run(_ t: ModelThread) throws {
    try t.awaitExchange(item, 1, 0, .acquire)
    try t.transform(source, orderings[.change]) { $0 & ~Word.event }
    let seen = try takeFires(t)
    if seen & Bits.underWay != 0 || mistake == .endsUnseen { try endFiring(t) }
    let old = try t.transform(source, orderings[.change]) {
      $0 & Word.event == 0 ? 0 : $0
    }
    if old & Word.event != 0 { _ = try t.exchange(item, 1, .release) }
  }

  private func takeFires(_ t: ModelThread) throws -> Int {
    var seen = try t.load(word, .relaxed)
    var missed = 0
    if seen & Bits.leftOut != 0 {
      try t.lock(lock)
      seen = try t.load(word, .relaxed)
      if seen & Bits.leftOut != 0 { missed = try advance(t) }
      try t.unlock(lock)
    }
    try t.write(try t.read(told) + (seen >> Bits.countShift) + missed, to: told)
    return seen
  }

  private func endFiring(_ t: ModelThread) throws {
    let old = try t.exchange(word, 0, .relaxed)
    if mistake == .endsWithoutLook || old & Bits.leftOut == 0 { return }
    var isDue = false
    try t.lock(lock)
    let isOut = try t.read(pending) == 0
    if try isOut && (mistake == .armsWhileUnderWay || t.load(word, .relaxed) == 0) {
      isDue = try t.read(due) > t.read(counted)
      if isDue {
        try t.store(Bits.underWay | Bits.leftOut, to: word, .relaxed)
      } else {
        try t.write(1, to: pending)
      }
    }
    try t.unlock(lock)
    if isDue { try wake(t) }
  }

  /// What is wrong when nothing moves any more.
  func leftovers(_ end: FinalState) -> String? {
    if end[word] != 0 { return "a firing is still under way" }
    if end[source] != 0 || end[item] != 0 { return "an event is lost" }
    if end[pending] != 1 { return "the timer is not pending" }
    return end[due] == end[counted] ? nil : "a due time is not counted"
  }
}

@Suite struct FiringTests {
  private typealias Mistake = FiringModel.Mistake

  private func worker(_ runs: Int, _ model: FiringModel, _ p: inout Program) {
    p.thread(
      "worker", mayRemainBlocked: true,
      sections: Array(repeating: { t in try model.run(t) }, count: runs))
  }

  /// The timer comes due three times while the source runs.
  private func repeats(_ mistake: Mistake? = nil) -> Scenario<FiringSite> {
    Scenario("a timer repeats") { p, orderings in
      let model = FiringModel(&p, orderings, mistake)
      p.thread("poller", sections: Array(repeating: model.comesDue, count: 3))
      worker(4, model, &p)
      p.atEnd { end in
        model.leftovers(end) ?? (end[model.told] == 3 ? nil : "told \(end[model.told])")
      }
    }
  }

  /// Another thread wakes the source, as it does when it sets a handler.
  private func wokenForNothing(_ mistake: Mistake? = nil) -> Scenario<FiringSite> {
    Scenario("the source runs without a firing") { p, orderings in
      let model = FiringModel(&p, orderings, mistake)
      p.thread("poller", sections: Array(repeating: model.comesDue, count: 2))
      p.thread("setter") { t in try model.wake(t) }
      worker(4, model, &p)
      p.atEnd { end in
        model.leftovers(end) ?? (end[model.told] == 2 ? nil : "told \(end[model.told])")
      }
    }
  }

  /// The schedule changes while a firing is under way.
  private var scheduledAnew: Scenario<FiringSite> {
    Scenario("a new schedule") { p, orderings in
      let model = FiringModel(&p, orderings)
      p.thread("poller", sections: Array(repeating: model.comesDue, count: 3))
      p.thread("scheduler") { t in try model.schedule(t) }
      worker(4, model, &p)
      p.atEnd { end in
        model.leftovers(end) ?? (end[model.told] <= 3 ? nil : "told \(end[model.told])")
      }
    }
  }

  /// It changes just before the timer comes due twice more. Each of those times counts as ten.
  private func scheduledAndLeftOut(_ mistake: Mistake? = nil) -> Scenario<FiringSite> {
    Scenario("a new schedule for a timer that was left out") { p, orderings in
      let model = FiringModel(&p, orderings, mistake)
      let later: ModelThread.Section = { t in try model.comesDue(10, t) }
      p.thread(
        "poller", sections: [model.comesDue, model.comesDue, model.schedule, later, later])
      worker(5, model, &p)
      p.atEnd { end in
        model.leftovers(end) ?? (end[model.told] / 10 == 2 ? nil : "told \(end[model.told])")
      }
    }
  }

  /// The first run comes only after the new schedule.
  private func forgotten(_ mistake: Mistake? = nil) -> Scenario<FiringSite> {
    Scenario("a new schedule before the run") { p, orderings in
      let model = FiringModel(&p, orderings, mistake)
      p.thread("all", sections: [model.comesDue, model.schedule, model.run])
      p.atEnd { end in
        model.leftovers(end) ?? (end[model.told] == 0 ? nil : "told \(end[model.told])")
      }
    }
  }

  @Test func eachDueTimeIsCountedOnceAndTheTimerStaysPending() {
    expectHolds([
      repeats(), wokenForNothing(), scheduledAnew, scheduledAndLeftOut(), forgotten(),
    ])
  }

  private func flaw(_ scenario: Scenario<FiringSite>) -> Flaw? {
    scenario.program(.asBuilt).explored().flaw
  }

  @Test func anEndThatDoesNotLookLosesTheTimer() {
    #expect(flaw(repeats(.endsWithoutLook)) != nil)
  }

  @Test func aRunThatEndsAFiringItHasNotSeenLosesACount() {
    #expect(flaw(wokenForNothing(.endsUnseen)) != nil)
  }

  @Test func aTimerThatBecomesPendingDuringAnotherFiringLosesIt() {
    #expect(flaw(scheduledAndLeftOut(.armsWhileUnderWay)) != nil)
  }

  /// The run may have begun, and clears the event without seeing the firing.
  @Test func anEventThatIsNotWrittenLosesTheFiring() {
    #expect(flaw(wokenForNothing(.wakesWithoutWriting)) != nil)
  }

  @Test func aScheduleThatKeepsTheCountReportsTheOldOne() {
    #expect(flaw(forgotten(.keepsTheCount)) == .violation("told 1"))
  }

  @Test func aSecondFiringAtTheSameTimeLosesACount() {
    #expect(flaw(repeats(.beginsTwice)) != nil)
  }
}
