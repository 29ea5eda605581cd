// EngineLock — the model of `SignalboxRuntime/Parking/EngineLock.swift`.

import Testing

enum EngineLockSite: Site {
  /// The compare-and-swap of `lock()` and of its spinning, and the exchange before sleep.
  case lock, lockSpinning, lockSlow
  case unlock

  var access: Access { .update }

  var ordering: Ordering {
    switch self {
    case .lock, .lockSpinning, .lockSlow: .acquire
    case .unlock: .release
    }
  }

  var operations: [String] {
    switch self {
    case .lock: ["Parking/EngineLock.lock:EL1"]
    case .lockSpinning: ["Parking/EngineLock.lockSlow:EL1"]
    case .lockSlow: ["Parking/EngineLock.lockSlow:EL1.2"]
    case .unlock: ["Parking/EngineLock.unlock:EL1"]
    }
  }
}

/// The lock, in the model.
struct EngineLockModel: Sendable {
  /// Ways to get the lock wrong.
  enum Mistake {
    /// The slow path takes the lock as `held` and forgets the threads that still sleep.
    case slowPathTakesHeld
    /// Unlock loads first and stores then, so it does not see a waiter that arrives in
    /// between.
    case unlockLooksThenStores
  }

  static let free = 0, held = 1, contended = 2

  let word: Atomic
  let orderings: Orderings<EngineLockSite>
  var mistake: Mistake?

  func lock(_ t: ModelThread) throws {
    if try t.compareExchange(
      word, expected: Self.free, desired: Self.held, orderings[.lock], failure: .relaxed
    ).exchanged {
      return
    }
    // One load represents the many loads of the spin.
    if try t.load(word, .relaxed) == Self.free,
      try t.compareExchange(
        word, expected: Self.free, desired: Self.held, orderings[.lockSpinning],
        failure: .relaxed
      ).exchanged
    {
      return
    }
    let taken = mistake == .slowPathTakesHeld ? Self.held : Self.contended
    while try t.exchange(word, taken, orderings[.lockSlow]) != Self.free {
      try t.futexWait(word, expected: taken)
    }
  }

  func unlock(_ t: ModelThread) throws {
    if mistake == .unlockLooksThenStores {
      let old = try t.load(word, .relaxed)
      try t.store(Self.free, to: word, orderings[.unlock])
      if old == Self.contended { try t.futexWake(word) }
    } else if try t.exchange(word, Self.free, orderings[.unlock]) == Self.contended {
      try t.futexWake(word)
    }
  }
}

@Suite struct EngineLockTests {
  /// Each of `threads` threads adds one to a plain counter under the lock.
  private func counting(
    threads: Int, mistake: EngineLockModel.Mistake? = nil
  ) -> Scenario<EngineLockSite> {
    Scenario("\(threads) threads count") { p, orderings in
      let lock = EngineLockModel(
        word: p.atomic("word"), orderings: orderings, mistake: mistake)
      let count = p.plain("count")
      for thread in 0..<threads {
        p.thread("\(thread)") { t in
          try lock.lock(t)
          try t.write(try t.read(count) + 1, to: count)
          try lock.unlock(t)
        }
      }
      p.atEnd { end in
        end[count] == threads && end[lock.word] == EngineLockModel.free
          ? nil : "count \(end[count]), word \(end[lock.word])"
      }
    }
  }

  @Test func exclusionHoldsAndNoSleeperIsForgotten() {
    expectHolds([counting(threads: 2), counting(threads: 3)])
  }

  @Test func everyOrderingOfTheEngineLockIsNeeded() {
    expectEachWeakeningFails([counting(threads: 2), counting(threads: 3)])
  }

  @Test func aSlowPathThatTakesTheLockAsHeldForgetsASleeper() {
    let verdict = counting(threads: 3, mistake: .slowPathTakesHeld)
      .program(.asBuilt).explored()
    #expect(verdict.stuckThreads != nil, "\(verdict)")
  }

  @Test func anUnlockThatChecksBeforeItStoresForgetsASleeper() {
    let verdict = counting(threads: 2, mistake: .unlockLooksThenStores)
      .program(.asBuilt).explored()
    #expect(verdict.stuckThreads != nil, "\(verdict)")
  }

  /// A wake uses only the word's address, so the next thread that takes the lock may free the
  /// object that contains it.
  @Test func theNextHolderMayFreeTheLock() {
    expectHolds([
      Scenario("the last of two frees") { p, orderings in
        let lock = EngineLockModel(
          word: p.atomic("word", isMortal: true), orderings: orderings)
        let users = p.plain("users", 2)
        for name in ["one", "two"] {
          p.thread(name) { t in
            try lock.lock(t)
            let left = try t.read(users) - 1
            try t.write(left, to: users)
            try lock.unlock(t)
            if left == 0 { try t.free(lock.word) }
          }
        }
      }
    ])
  }
}
