// NSCondition — the model of `SignalboxLocks/Conditions/NSCondition.swift` and of
// `SignalQueue.swift`: waiters, signals and timeouts.
//
// The queue's lock and the condition's own lock are modelled by their effect. No ordering is
// left to weaken; only the order of the steps can be wrong.

import Testing

struct ConditionModel: Sendable {
  enum Mistake: CaseIterable {
    /// The waiter leaves the lock before it is in the queue.
    case leavesBeforeJoining
    /// A waiter that times out assumes that it was not signalled.
    case givesUpRegardless
    /// A signal without the lock only marks the waiter and leaves the wake to others.
    case strangerOnlyMarks
    /// A woken thread does not look for the next one when it leaves the lock.
    case nextIsForgotten
    /// The word is written after the queue's lock is left, when its waiter may be gone.
    case wordIsWrittenLate
    /// A thread that reaches the lock late still counts as on the way.
    case staysOnTheWay
  }

  let lock: Atomic
  let queueLock: Atomic
  let hint: Atomic
  let waiting: ModelList
  let signalled: ModelList
  let onTheWay: Plain
  /// One word for each thread, starting with thread 1.
  let words: [Atomic]
  var mistake: Mistake?

  static let awaited = 1, owesWake = 2

  init(_ p: inout Program, threads: Int, _ mistake: Mistake?) {
    lock = p.atomic("lock")
    queueLock = p.atomic("queue lock")
    hint = p.atomic("hint")
    waiting = ModelList(digits: p.plain("waiting"))
    signalled = ModelList(digits: p.plain("signalled"))
    onTheWay = p.plain("on the way")
    var words: [Atomic] = []
    for thread in 1...threads {
      words.append(p.atomic("word \(thread)", WaiterWord.asleep, isMortal: true))
    }
    self.words = words
    self.mistake = mistake
  }

  // MARK: The queue

  private func change(_ t: ModelThread, _ step: () throws -> Void) throws {
    try t.withLock(queueLock) {
      try step()
      let isAwaited = try !waiting.isEmpty(t)
      let owes = try t.read(onTheWay) == 0 && !signalled.isEmpty(t)
      try t.store(
        (isAwaited ? Self.awaited : 0) | (owes ? Self.owesWake : 0), to: hint, .relaxed)
    }
  }

  /// Returns the thread to wake.
  private func sendNext(_ t: ModelThread) throws -> Int? {
    guard try t.read(onTheWay) == 0, let next = try signalled.removeFirst(t) else { return nil }
    try t.write(next, to: onTheWay)
    if mistake != .wordIsWrittenLate {
      try t.store(WaiterWord.woken, to: words[next - 1], .relaxed)
    }
    return next
  }

  private func wake(_ t: ModelThread, _ thread: Int?) throws {
    guard let thread else { return }
    if mistake == .wordIsWrittenLate {
      try t.store(WaiterWord.woken, to: words[thread - 1], .relaxed)
    }
    try t.futexWake(words[thread - 1])
  }

  // MARK: The calls

  func unlock(_ t: ModelThread, looks: Bool = true) throws {
    try t.unlock(lock)
    guard looks, try t.load(hint, .relaxed) & Self.owesWake != 0 else { return }
    var next: Int?
    try change(t) { next = try sendNext(t) }
    try wake(t, next)
  }

  func signal(_ t: ModelThread, all: Bool = false, holding: Bool) throws {
    guard try t.load(hint, .relaxed) & Self.awaited != 0 else { return }
    var next: Int?
    try change(t) {
      repeat {
        guard let waiter = try waiting.removeFirst(t) else { break }
        try signalled.append(waiter, t)
      } while all
      if !holding && mistake != .strangerOnlyMarks { next = try sendNext(t) }
    }
    try wake(t, next)
  }

  /// Waits and returns whether the thread was signalled. Each thread waits once.
  func wait(_ t: ModelThread, as own: Int, timed: Bool = false) throws -> Bool {
    let word = words[own - 1]
    if mistake == .leavesBeforeJoining {
      try unlock(t)
      try change(t) { try waiting.append(own, t) }
    } else {
      try change(t) { try waiting.append(own, t) }
      try unlock(t)
    }
    var wasSignalled = true
    while try t.load(word, .relaxed) == WaiterWord.asleep {
      guard
        try t.futexWait(word, expected: WaiterWord.asleep, canTimeOut: timed) == .timedOut
      else { continue }
      try change(t) {
        if try waiting.remove(own, t) {
          wasSignalled = false
        } else {
          _ = try signalled.remove(own, t)
        }
      }
      if mistake == .givesUpRegardless { wasSignalled = false }
      break
    }
    try t.lock(lock)
    if wasSignalled && mistake != .staysOnTheWay {
      try change(t) {
        if try t.read(onTheWay) == own { try t.write(0, to: onTheWay) }
      }
    }
    try t.free(word)
    return wasSignalled
  }
}

@Suite struct ConditionTests {
  private func program(
    threads: Int, _ mistake: ConditionModel.Mistake?,
    _ declare: @escaping @Sendable (inout Program, ConditionModel) -> Void
  ) -> Program {
    Program { p in
      let condition = ConditionModel(&p, threads: threads, mistake)
      declare(&p, condition)
    }
  }

  /// One thread waits for a predicate; another makes it true and signals, either with the lock
  /// held or after it leaves the lock.
  private func oneAndOne(holding: Bool, _ mistake: ConditionModel.Mistake? = nil) -> Program {
    program(threads: 1, mistake) { p, condition in
      let isReady = p.plain("ready")
      p.thread("waiter") { t in
        try t.lock(condition.lock)
        if try t.read(isReady) == 0 {
          try t.require(try condition.wait(t, as: 1), "a wait without a deadline timed out")
          try t.require(try t.read(isReady) == 1, "woken before it is ready")
        }
        try condition.unlock(t)
      }
      p.thread("signaller") { t in
        try t.lock(condition.lock)
        try t.write(1, to: isReady)
        if holding { try condition.signal(t, holding: true) }
        try condition.unlock(t)
        if !holding { try condition.signal(t, holding: false) }
      }
    }
  }

  /// A broadcast releases all waiters, whether or not its caller holds the lock.
  private func broadcast(
    waiters: Int, holding: Bool, _ mistake: ConditionModel.Mistake? = nil
  ) -> Program {
    program(threads: waiters, mistake) { p, condition in
      let isReady = p.plain("ready")
      for own in 1...waiters {
        p.thread(
          "waiter \(own)",
          sections: [
            { t in
              try t.lock(condition.lock)
              if try t.read(isReady) == 0 { _ = try condition.wait(t, as: own) }
            },
            { t in try condition.unlock(t, looks: condition.mistake != .nextIsForgotten) },
          ])
      }
      p.thread("broadcaster") { t in
        try t.lock(condition.lock)
        try t.write(1, to: isReady)
        if holding { try condition.signal(t, all: true, holding: true) }
        try condition.unlock(t)
        if !holding { try condition.signal(t, all: true, holding: false) }
      }
      guard mistake == nil else { return }
      p.atEnd { end in
        let left = [condition.waiting, condition.signalled].map { end[$0.digits] }
        return left == [0, 0] && end[condition.onTheWay] == 0
          ? nil : "left in the queue: \(left), on the way: \(end[condition.onTheWay])"
      }
    }
  }

  /// Two threads want one token: one waits with a deadline, the other without. If the first
  /// leaves without the token, the second must get it.
  private func oneTokenForTwo(_ mistake: ConditionModel.Mistake? = nil) -> Program {
    program(threads: 2, mistake) { p, condition in
      let tokens = p.plain("tokens")
      p.thread("patient", mayRemainBlocked: true) { t in
        try t.lock(condition.lock)
        if try t.read(tokens) == 0 { _ = try condition.wait(t, as: 1) }
        try t.write(try t.read(tokens) - 1, to: tokens)
        try condition.unlock(t)
      }
      p.thread("impatient") { t in
        try t.lock(condition.lock)
        var goesOn = true
        if try t.read(tokens) == 0 { goesOn = try condition.wait(t, as: 2, timed: true) }
        if goesOn { try t.write(try t.read(tokens) - 1, to: tokens) }
        try condition.unlock(t)
      }
      p.thread("giver") { t in
        try t.lock(condition.lock)
        try t.write(try t.read(tokens) + 1, to: tokens)
        try condition.signal(t, holding: true)
        try condition.unlock(t)
      }
      p.atEnd { end in
        // Either thread may have taken the token before the signal. The count is then 0, or
        // lower if both took one.
        end[tokens] <= 0 ? nil : "nobody took the token, and somebody waits"
      }
    }
  }

  /// A thread that begins to wait after the signal does not get it.
  private var aLateWaiter: Program {
    program(threads: 2, nil) { p, condition in
      p.thread("early") { t in
        try t.lock(condition.lock)
        _ = try condition.wait(t, as: 1)
        try condition.unlock(t)
      }
      p.thread("late", mayRemainBlocked: true) { t in
        try t.await(condition.hint, .bitSet(ConditionModel.awaited), .relaxed)
        try t.lock(condition.lock)
        try condition.signal(t, holding: true)
        _ = try condition.wait(t, as: 2)
        try condition.unlock(t)
      }
    }
  }

  @Test(arguments: [true, false])
  func aSignalReachesTheWaiter(holding: Bool) {
    let verdict = oneAndOne(holding: holding).explored()
    #expect(verdict.holds, "\(verdict)")
  }

  @Test(arguments: [true, false])
  func aBroadcastReachesAll(holding: Bool) {
    let verdict = broadcast(waiters: 2, holding: holding).explored()
    #expect(verdict.holds, "\(verdict)")
  }

  @Test func aTimeoutConsumesNoSignal() {
    let verdict = oneTokenForTwo().explored()
    #expect(verdict.holds, "\(verdict)")
  }

  @Test func aLateWaiterGetsNoEarlierSignal() {
    let verdict = aLateWaiter.explored()
    #expect(verdict.holds, "\(verdict)")
  }

  @Test func leavingTheLockBeforeJoiningLosesTheWake() {
    let verdict = oneAndOne(holding: true, .leavesBeforeJoining).explored()
    #expect(verdict.stuckThreads == ["waiter"], "\(verdict)")
  }

  @Test func aSignalByANonHolderThatOnlyMarksIsLost() {
    let verdict = oneAndOne(holding: false, .strangerOnlyMarks).explored()
    #expect(verdict.stuckThreads == ["waiter"], "\(verdict)")
  }

  @Test func givingUpUnconditionallyConsumesTheSignal() {
    let verdict = oneTokenForTwo(.givesUpRegardless).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  @Test func aHolderThatDoesNotCheckLeavesOthersAsleep() {
    let verdict = broadcast(waiters: 2, holding: true, .nextIsForgotten).explored()
    #expect(verdict.stuckThreads?.count == 1, "\(verdict)")
  }

  /// The next thread sleeps forever. A thread that does not take the queue's lock again may be
  /// gone while its word is written.
  @Test func aWaiterThatDoesNotReportItsArrivalIsWaitedFor() {
    let verdict = broadcast(waiters: 2, holding: true, .staysOnTheWay).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  /// The waiter has timed out in between, and its stack belongs to another call.
  @Test func aWordThatIsWrittenLateMayBeGone() {
    let verdict = oneTokenForTwo(.wordIsWrittenLate).explored()
    guard case .useAfterFree = verdict.flaw else {
      Issue.record("\(verdict)")
      return
    }
  }
}
