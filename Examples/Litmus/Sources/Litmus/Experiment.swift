// Experiment — a litmus test on real processors, many times.
//
// The two threads meet before every round, so that their steps come at the same time. The
// number of the round is what is stored in it: nothing has to be set back in between, and
// whatever else a place holds is an older round's.
//
// Touching    the places and the meeting: both threads, atomically. What is read: by its
//             thread, and by others when that has ended.

import Glibc
import SignalboxLocks
import Synchronization

struct Experiment: Sendable {
  let test: LitmusTest
  let rounds: Int
  /// Whether each thread has a barrier between its two steps.
  let hasBarrier: Bool

  /// One thread sees later than the other that both have come, by a time that is the
  /// machine's: so each pair of delays up to this is tried in turn.
  private static let delays = 100

  /// How often each outcome was seen.
  func run() -> [Outcome: Int] {
    let stage = Stage(rounds: rounds)
    runSideBySide { thread in
      let steps = thread == 0 ? test.first : test.second
      for round in 1...rounds {
        stage.meet(round)
        stage.hesitate(thread == 0 ? round % Self.delays : round / Self.delays % Self.delays)
        stage.perform(steps[0], round)
        if hasBarrier { OSMemoryBarrier() }
        stage.perform(steps[1], round)
      }
    }
    let values = (test.first + test.second).reduce(into: [Place: Int]()) { values, step in
      if case .store(let value, let place) = step { values[place] = value }
    }
    var places: [Register: Place] = [:]
    for case .load(let register, let place) in test.first + test.second {
      places[register] = place
    }
    return (1...rounds).reduce(into: [:]) { counts, round in
      func read(_ register: Register) -> Int {
        stage.read[register.rawValue][round] == round ? values[places[register]!]! : 0
      }
      counts[Outcome(x: read(.x), y: read(.y)), default: 0] += 1
    }
  }
}

/// The memory of an experiment.
// SAFETY: see Touching.
private final class Stage: @unchecked Sendable {
  /// In words: no two places share a cache line, nor a pair of them.
  private static let distance = 32

  private let words: UnsafeMutablePointer<Atomic<Int>>
  /// What each register was given, by rounds.
  let read: [UnsafeMutablePointer<Int>]

  init(rounds: Int) {
    words = .allocate(capacity: 4 * Self.distance)
    for index in 0..<4 * Self.distance { (words + index).initialize(to: Atomic(0)) }
    read = (0..<2).map { _ in
      let values = UnsafeMutablePointer<Int>.allocate(capacity: rounds + 1)
      values.initialize(repeating: 0, count: rounds + 1)
      return values
    }
  }

  deinit {
    words.deinitialize(count: 4 * Self.distance)
    words.deallocate()
    for values in read { values.deallocate() }
  }

  private func word(_ place: Place) -> UnsafeMutablePointer<Atomic<Int>> {
    words + (1 + place.rawValue) * Self.distance
  }

  @inline(__always)
  func perform(_ step: Step, _ round: Int) {
    switch step {
    case .store(_, let place):
      // order: relaxed; what is shown is what comes of it.
      word(place).pointee.store(round, ordering: .relaxed)
    case .load(let register, let place):
      // order: relaxed; as above.
      read[register.rawValue][round] = word(place).pointee.load(ordering: .relaxed)
    }
  }

  /// Lets some nanoseconds pass.
  func hesitate(_ looks: Int) {
    // order: relaxed; its value is of no use.
    for _ in 0..<looks { _ = words.pointee.load(ordering: .relaxed) }
  }

  /// Waits until both threads have come to this round.
  func meet(_ round: Int) {
    // order: acquiring and releasing; the rounds before are over for both.
    words.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing)
    var looks = 0
    // order: acquiring; as above.
    while words.pointee.load(ordering: .acquiring) < 2 * round {
      looks += 1
      // The other one may be waiting for this one's processor.
      if looks % 1000 == 0 { sched_yield() }
    }
  }
}
