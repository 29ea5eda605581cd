// NSConditionLock — the model of `SignalboxLocks/Conditions/NSConditionLock.swift` and of
// `ValueQueue.swift`: threads that wait for a value, with timeouts and barging threads.
//
// As in the model of the condition, both locks are modelled by their effect.

import Testing

struct ConditionLockModel: Sendable {
  enum Mistake {
    /// The waiter leaves the lock before it is in the queue.
    case leavesBeforeJoining
    /// A woken waiter that gives up does not wake the next one.
    case keepsTheTurn
    /// A thread that takes the lock after a wait does not look for the next waiter when it
    /// leaves.
    case nextIsForgotten
    /// A woken thread assumes that the value is right.
    case wakeIsBelieved
  }

  let lock: Atomic
  let queueLock: Atomic
  let isAwaited: Atomic
  let value: Atomic
  let waiting: ModelList
  let onTheWay: Plain
  let words: [Atomic]
  /// The value that each thread waits for, starting with thread 1.
  let wanted: [Int]
  var mistake: Mistake?

  /// - Parameter queued: Whether one thread holds the lock and all others are in the queue, in
  /// the order of their numbers. Otherwise the lock is free.
  init(_ p: inout Program, value: Int, wanted: [Int], queued: Bool, _ mistake: Mistake?) {
    lock = p.atomic("lock", queued ? 1 : 0)
    queueLock = p.atomic("queue lock")
    isAwaited = p.atomic("awaited", queued ? 1 : 0)
    self.value = p.atomic("value", value)
    let all = ModelList.number(queued ? Array(1...wanted.count) : [])
    waiting = ModelList(digits: p.plain("waiting", all))
    onTheWay = p.plain("on the way")
    var words: [Atomic] = []
    for thread in wanted.indices {
      words.append(p.atomic("word \(thread + 1)", WaiterWord.asleep))
    }
    self.words = words
    self.wanted = wanted
    self.mistake = mistake
  }

  private func change(_ t: ModelThread, _ step: () throws -> Void) throws {
    try t.withLock(queueLock) {
      try step()
      try t.store(try waiting.isEmpty(t) ? 0 : 1, to: isAwaited, .relaxed)
    }
  }

  private func sendNext(_ t: ModelThread) throws -> Int? {
    let value = try t.load(value, .relaxed)
    let coming = try t.read(onTheWay)
    if coming != 0 && wanted[coming - 1] == value { return nil }
    guard let next = try waiting.threads(t).first(where: { wanted[$0 - 1] == value }) else {
      return nil
    }
    _ = try waiting.remove(next, t)
    try t.write(next, to: onTheWay)
    try t.store(WaiterWord.woken, to: words[next - 1], .relaxed)
    return next
  }

  func unlock(_ t: ModelThread, with new: Int? = nil, looks: Bool = true) throws {
    if let new { try t.store(new, to: value, .relaxed) }
    try t.unlock(lock)
    guard looks, try t.load(isAwaited, .relaxed) != 0 else { return }
    var next: Int?
    try change(t) { next = try sendNext(t) }
    if let next { try t.futexWake(words[next - 1]) }
  }

  /// A timed call gives up if the lock is not free when the call begins.
  private func take(_ t: ModelThread, timed: Bool) throws -> Bool {
    if timed {
      return try t.compareExchange(lock, expected: 0, desired: 1, .acquire, failure: .relaxed)
        .exchanged
    }
    try t.lock(lock)
    return true
  }

  /// Takes the lock with the thread's value. Each thread calls it once. Returns whether the thread
  /// has the lock.
  ///
  /// - Parameter queued: Whether the thread is in the queue from the beginning.
  func lock(
    _ t: ModelThread, as own: Int, timed: Bool = false, queued: Bool = false
  ) throws -> Bool {
    if !queued {
      guard try take(t, timed: timed) else { return false }
      if try t.load(value, .relaxed) == wanted[own - 1] { return true }
      try join(t, own, again: false)
    }
    while true {
      guard try sleep(t, own, timed) else { return false }
      if try mistake == .wakeIsBelieved || t.load(value, .relaxed) == wanted[own - 1] {
        return true
      }
      try join(t, own, again: true)
    }
  }

  private func join(_ t: ModelThread, _ own: Int, again: Bool) throws {
    if mistake == .leavesBeforeJoining { try unlock(t) }
    try change(t) {
      if again {
        try t.store(WaiterWord.asleep, to: words[own - 1], .relaxed)
        try waiting.prepend(own, t)
      } else {
        try waiting.append(own, t)
      }
    }
    if mistake != .leavesBeforeJoining { try unlock(t) }
  }

  private func sleep(_ t: ModelThread, _ own: Int, _ timed: Bool) throws -> Bool {
    let word = words[own - 1]
    while try t.load(word, .relaxed) == WaiterWord.asleep {
      guard
        try t.futexWait(word, expected: WaiterWord.asleep, canTimeOut: timed) == .timedOut
      else { continue }
      var stoodThere = false
      try change(t) { stoodThere = try waiting.remove(own, t) }
      if stoodThere { return false }
      break
    }
    if try take(t, timed: timed) {
      try change(t) { try arrive(t, own) }
      return true
    }
    if mistake == .keepsTheTurn { return false }
    var next: Int?
    try change(t) {
      try arrive(t, own)
      next = try sendNext(t)
    }
    if let next { try t.futexWake(words[next - 1]) }
    return false
  }

  private func arrive(_ t: ModelThread, _ own: Int) throws {
    if try t.read(onTheWay) == own { try t.write(0, to: onTheWay) }
  }
}

@Suite struct ConditionLockTests {
  typealias Mistake = ConditionLockModel.Mistake

  private func program(
    wanted: [Int], queued: Bool, _ mistake: Mistake?,
    _ declare: @escaping @Sendable (inout Program, ConditionLockModel) -> Void
  ) -> Program {
    Program { p in
      let lock = ConditionLockModel(&p, value: 0, wanted: wanted, queued: queued, mistake)
      declare(&p, lock)
    }
  }

  /// One thread waits for 1 and leaves 0; the other waits for 0 and leaves 1.
  private func producerAndConsumer(_ mistake: Mistake? = nil) -> Program {
    program(wanted: [0, 1], queued: false, mistake) { p, lock in
      let product = p.plain("product")
      p.thread("producer") { t in
        _ = try lock.lock(t, as: 1)
        try t.write(7, to: product)
        try lock.unlock(t, with: 1)
      }
      p.thread("consumer") { t in
        _ = try lock.lock(t, as: 2)
        try t.require(try t.read(product) == 7, "there is no product")
        try lock.unlock(t, with: 0)
      }
    }
  }

  /// Two threads wait for the same value, which neither changes. Here and below, the threads
  /// are in the queue from the beginning; the first program covers how they get there.
  private func twoForOneValue(_ mistake: Mistake? = nil) -> Program {
    program(wanted: [1, 1], queued: true, mistake) { p, lock in
      for own in 1...2 {
        p.thread(
          "waiter \(own)",
          sections: [
            { t in _ = try lock.lock(t, as: own, queued: true) },
            { t in try lock.unlock(t, looks: lock.mistake != .nextIsForgotten) },
          ])
      }
      p.thread("holder") { t in try lock.unlock(t, with: 1) }
      p.atEnd { end in
        end[lock.waiting.digits] == 0 && end[lock.onTheWay] == 0 ? nil : "somebody is left"
      }
    }
  }

  /// The woken thread may give up because a barging thread has the lock; then the other thread
  /// must come.
  private func timedAndPatient(_ mistake: Mistake? = nil) -> Program {
    program(wanted: [1, 1], queued: true, mistake) { p, lock in
      p.thread(
        "timed",
        sections: [
          { t in
            if try lock.lock(t, as: 1, timed: true, queued: true) { try lock.unlock(t) }
          }
        ])
      p.thread(
        "patient",
        sections: [
          { t in _ = try lock.lock(t, as: 2, queued: true) }, { t in try lock.unlock(t) },
        ])
      p.thread(
        "holder",
        sections: [
          { t in try lock.unlock(t, with: 1) },
          { t in try t.lock(lock.lock) },
          { t in try lock.unlock(t) },
        ])
    }
  }

  /// The value changes before the first waiter arrives, and changes back later.
  private func valuesThatGoOn(_ mistake: Mistake? = nil) -> Program {
    program(wanted: [1, 2], queued: true, mistake) { p, lock in
      p.thread("waits for 1") { t in
        _ = try lock.lock(t, as: 1, queued: true)
        try t.require(try t.load(lock.value, .relaxed) == 1, "the value is not 1")
        try lock.unlock(t)
      }
      p.thread("waits for 2") { t in
        _ = try lock.lock(t, as: 2, queued: true)
        try t.require(try t.load(lock.value, .relaxed) == 2, "the value is not 2")
        try lock.unlock(t, with: 1)
      }
      p.thread(
        "holder",
        sections: [
          { t in try lock.unlock(t, with: 1) },
          { t in try t.lock(lock.lock) },
          { t in try lock.unlock(t, with: 2) },
        ])
    }
  }

  @Test func theValueReachesItsWaiter() {
    for program in [
      producerAndConsumer(), twoForOneValue(), timedAndPatient(), valuesThatGoOn(),
    ] {
      let verdict = program.explored()
      #expect(verdict.holds, "\(verdict)")
    }
  }

  @Test func leavingTheLockBeforeJoiningLosesTheValue() {
    let verdict = producerAndConsumer(.leavesBeforeJoining).explored()
    #expect(verdict.stuckThreads == ["consumer"], "\(verdict)")
  }

  @Test func aHolderThatDoesNotCheckLeavesTheNextWaiterAsleep() {
    let verdict = twoForOneValue(.nextIsForgotten).explored()
    #expect(verdict.stuckThreads?.count == 1, "\(verdict)")
  }

  @Test func aWaiterThatGivesUpOnItsWayMustLetTheNextOneGo() {
    let verdict = timedAndPatient(.keepsTheTurn).explored()
    #expect(verdict.stuckThreads == ["patient"], "\(verdict)")
  }

  @Test func trustingAWakeTakesTheLockWithAnotherValue() {
    let verdict = valuesThatGoOn(.wakeIsBelieved).explored()
    guard case .violation = verdict.flaw else {
      Issue.record("\(verdict)")
      return
    }
  }
}
