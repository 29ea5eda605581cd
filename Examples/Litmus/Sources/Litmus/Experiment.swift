// Experiment — a litmus test on real processors, many times.
//
// The number of the round is what is stored in it: nothing has to be set back in between,
// and whatever else a place holds is an older round's.
//
// Touching    the places: both threads, atomically. What is read: by its thread, and by
//             others when that has ended.

import SignalboxLocks
import Synchronization

struct Experiment: Sendable {
  let test: LitmusTest
  let rounds: Int
  /// Whether each thread has a barrier between its two steps.
  let hasBarrier: Bool

  /// How often each outcome was seen.
  func run() -> [Outcome: Int] {
    let stage = Stage(rounds: rounds)
    let meeting = Meeting()
    runSideBySide { thread in
      let steps = thread == 0 ? test.first : test.second
      for round in 1...rounds {
        meeting.meet(round, thread)
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
  /// In words: the places share no cache line, nor a pair of them.
  private static let distance = 32

  private let words: UnsafeMutablePointer<Atomic<Int>>
  /// What each register was given, by rounds.
  let read: [UnsafeMutablePointer<Int>]

  init(rounds: Int) {
    words = .allocate(capacity: 2 * Self.distance)
    for index in 0..<2 * Self.distance { (words + index).initialize(to: Atomic(0)) }
    read = (0..<2).map { _ in
      let values = UnsafeMutablePointer<Int>.allocate(capacity: rounds + 1)
      values.initialize(repeating: 0, count: rounds + 1)
      return values
    }
  }

  deinit {
    words.deinitialize(count: 2 * Self.distance)
    words.deallocate()
    for values in read { values.deallocate() }
  }

  private func word(_ place: Place) -> UnsafeMutablePointer<Atomic<Int>> {
    words + place.rawValue * Self.distance
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
}
