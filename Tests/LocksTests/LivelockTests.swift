// LivelockTests — two polite threads that never wait and never make progress, and two ways out.
//
// Each needs both locks. It takes its own lock and tries the other's. If that one is
// held, it releases its own, so as not to be in the way, and begins again. If the
// two keep step, neither ever has both. No thread waits, so this cannot be reported as a
// deadlock: the threads run all the time and do nothing.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct LivelockTests {
  private static let rounds = 500

  @Test func twoPoliteThreadsInStepMakeNoProgress() throws {
    let diners = Diners()
    try diners.dine { diner in
      for _ in 0..<Self.rounds { try diner.offerPolitely() }
    }
    #expect(diners.tries == 2 * Self.rounds)
    #expect(diners.meals == [0, 0])
  }

  /// The first repair: both take the locks in the same order, and may simply wait.
  @Test func inOneOrderBothThreadsMakeProgress() throws {
    let diners = Diners()
    try diners.dine { diner in
      for _ in 0..<Self.rounds { try diner.takeInOrder() }
    }
    #expect(diners.meals == [Self.rounds, Self.rounds])
  }

  /// The second repair: a thread that has given way skips a random number of rounds, which
  /// differs from the other's.
  @Test func afterRandomPausesBothThreadsMakeProgress() throws {
    let generator = SeededGenerator.announced()
    let diners = Diners()
    try diners.dine { diner in
      var random = SeededGenerator(seed: generator.seed &+ UInt64(diner.place))
      var pause = 0
      for _ in 0..<Self.rounds {
        if pause > 0 {
          pause -= 1
          try diner.letARoundPass()
        } else if try !diner.offerPolitely() {
          pause = Int.random(in: 0..<4, using: &random)
        }
      }
    }
    #expect(diners.meals.allSatisfy { $0 > 0 }, "\(diners.meals)")
  }
}

/// Two threads at a table with one knife and one fork.
private final class Diners: Sendable {
  private let locks = [NSLock(), NSLock()]
  private let step = Rendezvous(parties: 2)
  private let counts = Guarded((tries: 0, meals: [0, 0]))

  var tries: Int { counts.current.tries }
  var meals: [Int] { counts.current.meals }

  func dine(_ body: @escaping @Sendable (Diner) throws -> Void) throws {
    try runThreads(2) { place in try body(Diner(table: self, place: place)) }
  }

  struct Diner {
    let table: Diners
    let place: Int
    private var own: NSLock { table.locks[place] }
    private var other: NSLock { table.locks[1 - place] }

    /// Runs one round: takes the own lock, tries the other one, releases the own lock.
    ///
    /// - Returns: Whether it had both.
    @discardableResult
    func offerPolitely() throws -> Bool {
      own.lock()
      try table.step.meet()
      let hasBoth = other.try()
      try table.step.meet()
      table.counts.withValue {
        $0.tries += 1
        if hasBoth { $0.meals[place] += 1 }
      }
      if hasBoth { other.unlock() }
      own.unlock()
      try table.step.meet()
      return hasBoth
    }

    func letARoundPass() throws { for _ in 0..<3 { try table.step.meet() } }

    func takeInOrder() throws {
      try table.step.meet()
      table.locks[0].withLock {
        table.locks[1].withLock { table.counts.withValue { $0.meals[place] += 1 } }
      }
    }
  }
}
