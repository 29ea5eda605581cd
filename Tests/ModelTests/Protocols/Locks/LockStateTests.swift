// LockState — the model of `SignalboxLocks/Locks/LockState.swift`.

import Testing

enum LockStateSite: Site {
  case take, takeAwaited
  case leave

  var access: Access { .update }

  var ordering: Ordering {
    switch self {
    case .take, .takeAwaited: .acquire
    case .leave: .release
    }
  }

  var operations: [String] {
    switch self {
    case .take: ["Locks/LockState.take:LS1"]
    case .takeAwaited: ["Locks/LockState+Waiting.takeAwaited:LS1"]
    case .leave: ["Locks/LockState.leave:LS1"]
    }
  }
}

/// The lock, in the model. Threads have numbers from 1.
struct LockStateModel: Sendable {
  /// Ways to get the lock wrong.
  enum Mistake {
    /// A thread that has slept takes the lock as if no other thread slept.
    case sleeperTakesUnawaited
    /// A thread sleeps without announcing itself in the word.
    case sleepsUnannounced
    /// A thread announces itself with a store, though the lock may have been left in between.
    case announcesByStore
    /// Leaving loads first and stores then, so it does not see a thread that announces itself
    /// in between.
    case leaveLooksThenStores
  }

  static let awaited = 8

  let word: Atomic
  let orderings: Orderings<LockStateSite>
  var mistake: Mistake?

  func lock(_ t: ModelThread, _ thread: Int, timed: Bool = false) throws -> Bool {
    if try take(t, thread) { return true }
    // One load represents the many loads of the spin.
    if try t.load(word, .relaxed) == 0, try take(t, thread) { return true }
    while true {
      let old = try t.load(word, .relaxed)
      let owner = old & ~Self.awaited
      if owner == 0 {
        if try takeAwaited(t, thread) { return true }
        continue
      }
      let awaited = owner | Self.awaited
      guard try old == awaited || announce(t, old) else { continue }
      let expected = mistake == .sleepsUnannounced ? old : awaited
      if try t.futexWait(word, expected: expected, canTimeOut: timed) == .timedOut {
        return try takeAwaited(t, thread)
      }
    }
  }

  func take(_ t: ModelThread, _ thread: Int) throws -> Bool {
    try t.compareExchange(
      word, expected: 0, desired: thread, orderings[.take], failure: .relaxed
    ).exchanged
  }

  private func takeAwaited(_ t: ModelThread, _ thread: Int) throws -> Bool {
    let mine = mistake == .sleeperTakesUnawaited ? thread : thread | Self.awaited
    return try t.compareExchange(
      word, expected: 0, desired: mine, orderings[.takeAwaited], failure: .relaxed
    ).exchanged
  }

  private func announce(_ t: ModelThread, _ old: Int) throws -> Bool {
    switch mistake {
    case .sleepsUnannounced: return true
    case .announcesByStore:
      try t.store(old | Self.awaited, to: word, .relaxed)
      return true
    default:
      return try t.compareExchange(
        word, expected: old, desired: old | Self.awaited, .relaxed
      ).exchanged
    }
  }

  func unlock(_ t: ModelThread) throws {
    let old: Int
    if mistake == .leaveLooksThenStores {
      old = try t.load(word, .relaxed)
      try t.store(0, to: word, orderings[.leave])
    } else {
      old = try t.exchange(word, 0, orderings[.leave])
    }
    if old & Self.awaited != 0 { try t.futexWake(word) }
  }
}

@Suite struct LockStateTests {
  /// How a thread of a scenario takes the lock.
  private enum Way: Sendable { case lock, timed, attempt }

  /// Each thread that gets the lock adds one to a plain counter.
  private func counting(
    _ ways: [Way], mistake: LockStateModel.Mistake? = nil
  ) -> Scenario<LockStateSite> {
    Scenario("\(ways) count") { p, orderings in
      let lock = LockStateModel(word: p.atomic("word"), orderings: orderings, mistake: mistake)
      let count = p.plain("count"), taken = p.atomic("taken")
      for (index, way) in ways.enumerated() {
        p.thread("\(index + 1)") { t in
          let isTaken =
            switch way {
            case .lock: try lock.lock(t, index + 1)
            case .timed: try lock.lock(t, index + 1, timed: true)
            case .attempt: try lock.take(t, index + 1)
            }
          guard isTaken else { return }
          try t.write(try t.read(count) + 1, to: count)
          try t.fetchAdd(taken, 1, .relaxed)
          try lock.unlock(t)
        }
      }
      p.atEnd { end in
        let wanted = ways.contains { $0 != .lock } ? end[taken] : ways.count
        return end[count] == wanted && end[lock.word] == 0
          ? nil : "count \(end[count]), taken \(end[taken]), word \(end[lock.word])"
      }
    }
  }

  private var scenarios: [Scenario<LockStateSite>] {
    [
      counting([.lock, .lock]), counting([.lock, .lock, .lock]), counting([.lock, .timed]),
      counting([.lock, .attempt]), counting([.timed, .attempt, .lock]),
    ]
  }

  @Test func exclusionHoldsAndNoSleeperIsForgotten() {
    expectHolds(scenarios)
  }

  /// A thread that gives up must not consume the wake that another thread needs.
  @Test func aThreadThatGivesUpLeavesTheOthersTheirWake() {
    expectHolds([counting([.lock, .timed, .lock])])
  }

  @Test func everyOrderingOfTheLockIsNeeded() {
    expectEachWeakeningFails([counting([.lock, .lock]), counting([.lock, .lock, .lock])])
  }

  @Test func aSleeperThatTakesTheLockUnawaitedForgetsAnother() {
    expectStuck(.sleeperTakesUnawaited, [.lock, .lock, .lock])
  }

  @Test func aSleeperThatDoesNotMarkTheWordIsForgotten() {
    expectStuck(.sleepsUnannounced, [.lock, .lock])
  }

  @Test func leavingInTwoStepsForgetsASleeper() {
    expectStuck(.leaveLooksThenStores, [.lock, .lock])
  }

  @Test func announcingByAStoreHoldsALockThatWasLeft() {
    expectStuck(.announcesByStore, [.lock, .lock])
  }

  private func expectStuck(
    _ mistake: LockStateModel.Mistake, _ ways: [Way],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let verdict = counting(ways, mistake: mistake).program(.asBuilt).explored()
    #expect(verdict.stuckThreads != nil, "\(verdict)", sourceLocation: sourceLocation)
  }

  /// A wake uses only the word's address, so the next thread that takes the lock may free the
  /// object that contains it.
  @Test func theNextHolderMayFreeTheLock() {
    expectHolds([
      Scenario("the last of two frees") { p, orderings in
        let lock = LockStateModel(word: p.atomic("word", isMortal: true), orderings: orderings)
        let users = p.plain("users", 2)
        for thread in 1...2 {
          p.thread("\(thread)") { t in
            _ = try lock.lock(t, thread)
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
