// LostUpdate — `i += 1` on two processors: a load and a store, between which the other
// thread's may come; beside it an increment in one step.
//
// Touching    the numbers: both threads, atomically.

import SignalboxLocks
import Synchronization

struct LostUpdate: Sendable {
  let rounds: Int
  let isAtomic: Bool

  /// How often the number, which was 0, was 1 or 2 afterwards.
  func run() -> [Int: Int] {
    // SAFETY: see Touching; freed when the threads have ended.
    nonisolated(unsafe) let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: rounds)
    numbers.initialize(repeating: 0, count: rounds)
    defer { numbers.deallocate() }
    let meeting = Meeting()
    runSideBySide { thread in
      for round in 1...rounds {
        meeting.meet(round, thread)
        if isAtomic {
          OSAtomicIncrement32(numbers + (round - 1))
        } else {
          Self.incrementInTwoSteps(numbers + (round - 1))
        }
      }
    }
    return (0..<rounds).reduce(into: [:]) { $0[Int(numbers[$1]), default: 0] += 1 }
  }

  /// What `i += 1` comes to. Atomic, each for itself, because two plain accesses at the same
  /// time have no meaning at all.
  private static func incrementInTwoSteps(_ number: UnsafeMutablePointer<Int32>) {
    // SAFETY: an atomic has the same bits as its value.
    let word = UnsafeMutableRawPointer(number).assumingMemoryBound(to: Atomic<Int32>.self)
    // order: relaxed; what is shown is what comes of it.
    let loaded = word.pointee.load(ordering: .relaxed)
    // order: relaxed; as above.
    word.pointee.store(loaded + 1, ordering: .relaxed)
  }

  // MARK: On paper

  /// The orders of two loads and two stores, each thread's own kept, by what comes of them.
  static let counts: [Int: Int] = {
    // The thread of each step.
    let orders = [
      [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0], [1, 1, 0, 0],
    ]
    return orders.reduce(into: [:]) { counts, order in
      var number = 0
      var loaded: [Int?] = [nil, nil]
      for thread in order {
        if let value = loaded[thread] { number = value + 1 } else { loaded[thread] = number }
      }
      counts[number, default: 0] += 1
    }
  }()

  static func lines(plain: [Int: Int], atomic: [Int: Int]) -> [String] {
    let rows = [1, 2].map { number in
      [number, counts[number] ?? 0, plain[number] ?? 0, atomic[number] ?? 0].map { "\($0)" }
    }
    var table = Table.aligned(
      [["i", "of 6 orders", "load and store", "OSAtomicIncrement32"]] + rows)
    table[1] += "   <- an update is lost"
    return [
      "i += 1", "  Each thread adds one to a number that was 0. Is it 2 then?",
      "  x = i; i = x + 1  |  y = i; i = y + 1", "",
    ] + table
  }
}
