// LockSequences — random sequences of locks, all legal: none may cause a report. Every wait
// checks for a deadlock at once. A report ends the process.
//
//     CountedFacts legal-lock-sequences COUNT SEED

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxRuntime
import Synchronization

package enum LockSequenceScenario: String, CountedScenario {
  case legalLockSequences = "legal-lock-sequences"
}

extension LockSequenceScenario: Scenario {
  func run() {
    switch self {
    case .legalLockSequences:
      let threads = 4
      let count = integerArgument(0, default: 20_000)
      let seed = integerArgument(1, default: 1)
      LongWait.delay.store(0, ordering: .relaxed)
      let scene = Sequences()
      let waits = Tally()
      let ended = DispatchSemaphore(value: 0)
      for number in 0..<threads {
        startThread {
          var random = Mixer(state: UInt64(truncatingIfNeeded: seed &* 64 &+ number))
          for _ in 0..<(count / threads) { scene.play(&random) }
          waits.add(Int(WaitRecord.ofThisThread.epoch.load(ordering: .relaxed) / 2))
          ended.signal()
        }
      }
      for _ in 0..<threads { ended.wait() }
      report("sequences", scene.played.count)
      report("waits", waits.count)
      report("failed", scene.failed.count)
      exit(EXIT_SUCCESS)
    }
  }
}

/// Locks and queues. A thread waits for them without a limit only in the order of their indices.
/// It takes them in any order with a try or a limit.
private final class Sequences: Sendable {
  private let locks: [NSLock]
  private let queues: [DispatchQueue]
  /// What each lock guards: while a thread holds it, no other thread has it.
  private let holders: [Holder]
  let played = Tally()
  let failed = Tally()

  private final class Holder: Sendable { let isTaken = Atomic<Bool>(false) }

  init() {
    locks = (0..<12).map { index in
      let lock = NSLock()
      // Three neighbours are of one class, and nothing else is between them.
      if index % 4 < 3 { lock.name = "rank \(index / 4)" }
      return lock
    }
    queues = (0..<2).map { DispatchQueue(label: "between \($0)") }
    holders = (0..<12).map { _ in Holder() }
  }

  func play(_ random: inout Mixer) {
    var held: [Int] = []
    let steps = 1 + random.below(5)
    var next = 0
    for _ in 0..<steps where next < locks.count {
      next += random.below(4)
      if next < locks.count, take(next, &random, held) { held.append(next) }
      next += 1
    }
    // Out of order, but without waiting forever.
    for _ in 0..<random.below(3) {
      let index = random.below(locks.count)
      if !held.contains(index), takeAtOnce(index, &random) { held.append(index) }
    }
    if random.below(8) == 0 {
      queues[random.below(2)].sync { _ = played.increment() }
    } else {
      played.increment()
    }
    while !held.isEmpty { leave(held.remove(at: random.below(held.count)), &random) }
  }

  private func take(_ index: Int, _ random: inout Mixer, _ held: [Int]) -> Bool {
    if random.below(6) == 0 { return takeAtOnce(index, &random) }
    locks[index].lock()
    enter(index)
    return true
  }

  private func takeAtOnce(_ index: Int, _ random: inout Mixer) -> Bool {
    let isTaken =
      random.below(2) == 0
      ? locks[index].try() : locks[index].lock(before: Date() + Double(random.below(50)) * 1e-6)
    if isTaken { enter(index) }
    return isTaken
  }

  private func enter(_ index: Int) {
    if holders[index].isTaken.exchange(true, ordering: .relaxed) { failed.increment() }
  }

  private func leave(_ index: Int, _ random: inout Mixer) {
    // Gives other threads a chance to come in between. Not every time: beside other programs, each
    // of these takes as long as they compute.
    if index % 4 == 3 && random.below(4) == 0 { sched_yield() }
    holders[index].isTaken.store(false, ordering: .relaxed)
    locks[index].unlock()
  }
}

/// Reproducible random numbers: the mixing function of SplitMix.
private struct Mixer {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}
