// RunLoop — the model of `Loop/LoopState.swift`: a loop that sleeps and the threads that wake
// or stop it; and of `Inputs/CFRunLoopSource.swift`, which the loop checks.
//
// The descriptor is one word here, for which the kernel promises no ordering: the loop waits
// until the word is set, and takes it.

import Testing

enum RunLoopSite: Site {
  case set, beginPass, endSleep, takeStop, signal, perform

  var access: Access { .update }

  var ordering: Ordering {
    switch self {
    case .set, .signal: .release
    case .beginPass, .endSleep, .takeStop, .perform: .acquire
    }
  }

  var operations: [String] {
    switch self {
    case .set: ["Loop/LoopState.set:LW1"]
    case .beginPass: ["Loop/LoopState.beginPass:LW1"]
    case .endSleep: ["Loop/LoopState.endSleep:LW1"]
    case .takeStop: ["Loop/LoopState.takeStop:LW1"]
    case .signal: ["Inputs/CFRunLoopSource.signal:RS1"]
    case .perform: ["Inputs/CFRunLoopSource.performIfSignalled:RS1"]
    }
  }
}

private struct RunLoopModel: Sendable {
  /// Ways to get the loop wrong.
  enum Mistake {
    /// The loop announces its sleep with a store.
    case sleepsByStore
    /// The loop sleeps without a look at what the word held.
    case sleepsAnyway
    /// The loop does not look for a stop before it sleeps.
    case forgetsStops
    /// The loop checks with a load whether it was woken.
    case looksByLoad
    /// A waking thread looks whether the loop sleeps, and then announces the wake-up.
    case wakesInTwoSteps
    /// A pass begins with a look, and then clears the wake-up.
    case looksBeforeItBegins
  }

  enum Bits { static let asleep = 1, woken = 2, stopped = 4 }

  let word: Atomic
  let descriptor: Atomic
  let signalled: [Atomic]
  /// What each thread wrote before it signalled or stopped.
  let written: [Plain]
  let orderings: Orderings<RunLoopSite>
  var mistake: Mistake?

  init(
    _ p: inout Program, sources: Int, _ orderings: Orderings<RunLoopSite>, _ mistake: Mistake?
  ) {
    word = p.atomic("word")
    descriptor = p.atomic("descriptor")
    var signalled: [Atomic] = []
    for index in 0..<sources { signalled.append(p.atomic("signalled \(index)")) }
    self.signalled = signalled
    written = p.plains("written", count: max(sources, 1))
    self.orderings = orderings
    self.mistake = mistake
  }

  // MARK: Other threads

  func set(_ bits: Int, _ t: ModelThread) throws {
    let old: Int
    if mistake == .wakesInTwoSteps {
      old = try t.load(word, .relaxed)
      try t.fetchOr(word, bits, orderings[.set])
    } else {
      old = try t.fetchOr(word, bits, orderings[.set])
    }
    if old & (Bits.asleep | Bits.woken) == Bits.asleep { try t.fetchAdd(descriptor, 1, .relaxed) }
  }

  func signalAndWake(_ index: Int, _ t: ModelThread) throws {
    try t.write(1, to: written[index])
    try t.exchange(signalled[index], 1, orderings[.signal])
    try set(Bits.woken, t)
  }

  func stop(_ t: ModelThread) throws {
    try t.write(1, to: written[0])
    try set(Bits.woken | Bits.stopped, t)
  }

  // MARK: The loop

  /// Runs until all sources were performed. If a signal is lost, the loop waits forever.
  func run(_ t: ModelThread) throws {
    var left = Array(signalled.indices)
    while true {
      if mistake != .looksBeforeItBegins { try beginPass(t) }
      try performSources(&left, t)
      if left.isEmpty { return }
      if mistake == .looksBeforeItBegins { try beginPass(t) }
      try sleep(t)
    }
  }

  /// Runs until the loop is stopped.
  func runUntilStopped(_ t: ModelThread) throws {
    while true {
      try beginPass(t)
      try sleep(t)
      guard try t.load(word, .relaxed) & Bits.stopped != 0 else { continue }
      try t.fetchAnd(word, ~Bits.stopped, orderings[.takeStop])
      return try t.require(try t.read(written[0]) == 1, "what came before the stop is not seen")
    }
  }

  private func beginPass(_ t: ModelThread) throws {
    guard try t.load(word, .relaxed) & Bits.woken != 0 else { return }
    try t.fetchAnd(word, ~Bits.woken, orderings[.beginPass])
  }

  private func performSources(_ left: inout [Int], _ t: ModelThread) throws {
    for index in left {
      guard try t.load(signalled[index], .relaxed) == 1 else { continue }
      try t.exchange(signalled[index], 0, orderings[.perform])
      try t.require(
        try t.read(written[index]) == 1, "a source is performed without what came before")
      left.removeAll { $0 == index }
    }
  }

  private func sleepsOn(_ t: ModelThread) throws -> Bool {
    let old =
      mistake == .looksByLoad
      ? try t.load(word, .relaxed) : try t.fetchOr(word, Bits.asleep, .relaxed)
    return old & Bits.woken == 0
  }

  private func sleep(_ t: ModelThread) throws {
    let old: Int
    if mistake == .sleepsByStore {
      old = try t.load(word, .relaxed)
      try t.store(old | Bits.asleep, to: word, .relaxed)
    } else {
      old = try t.fetchOr(word, Bits.asleep, .relaxed)
    }
    let reasons = mistake == .forgetsStops ? Bits.woken : Bits.woken | Bits.stopped
    if old & reasons == 0 || mistake == .sleepsAnyway {
      repeat {
        try t.await(descriptor, .notEqual(0), .relaxed)
        try t.exchange(descriptor, 0, .relaxed)
      } while try sleepsOn(t)
    }
    try t.fetchAnd(word, ~(Bits.asleep | Bits.woken), orderings[.endSleep])
  }
}

@Suite struct RunLoopTests {
  private func signals(
    _ count: Int, _ mistake: RunLoopModel.Mistake? = nil
  ) -> Scenario<RunLoopSite> {
    Scenario("\(count) signals") { p, orderings in
      let loop = RunLoopModel(&p, sources: count, orderings, mistake)
      p.thread("loop") { try loop.run($0) }
      for index in 0..<count {
        p.thread("signals \(index)") { try loop.signalAndWake(index, $0) }
      }
    }
  }

  private func stop(_ mistake: RunLoopModel.Mistake? = nil) -> Scenario<RunLoopSite> {
    Scenario("stop") { p, orderings in
      let loop = RunLoopModel(&p, sources: 0, orderings, mistake)
      p.thread("loop") { try loop.runUntilStopped($0) }
      p.thread("stops") { try loop.stop($0) }
    }
  }

  /// A stop that comes between the end of a sleep, for another reason, and the look at it.
  private var lateStop: Scenario<RunLoopSite> {
    Scenario("late stop") { p, orderings in
      let loop = RunLoopModel(&p, sources: 0, orderings, nil)
      p.thread("loop") { try loop.runUntilStopped($0) }
      p.thread("wakes") { try loop.set(RunLoopModel.Bits.woken, $0) }
      p.thread("stops") { try loop.stop($0) }
    }
  }

  private var scenarios: [Scenario<RunLoopSite>] { [signals(1), signals(2), stop(), lateStop] }

  @Test func noSignalOrStopIsLostAndEachSeesEarlierWrites() { expectHolds(scenarios) }

  @Test func everyOrderingOfLoopsIsNeeded() { expectEachWeakeningFails(scenarios) }

  @Test func aStopAtTheBeginningOfAPassIsLostWithoutACheck() {
    #expect(!stop(.forgetsStops).program(.asBuilt).explored().holds)
  }

  @Test(arguments: [
    RunLoopModel.Mistake.sleepsByStore, .sleepsAnyway, .looksByLoad, .wakesInTwoSteps,
    .looksBeforeItBegins,
  ])
  fileprivate func aWakeIsLostWhere(_ mistake: RunLoopModel.Mistake) {
    #expect(!signals(1, mistake).program(.asBuilt).explored().holds)
  }
}
