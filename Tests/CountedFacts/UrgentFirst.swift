// UrgentFirst — how many less urgent queues start while more urgent ones wait, and how many the
// pool's rules allow; see `BusyNeighbourStressTests`.

import Glibc
import SignalboxDispatch
import Synchronization

let urgentFirstScenarios: [String: Scenario] = [
  // Arguments: rounds, queues of each class, and the number of workers.
  "urgent-queues-among-less-urgent-ones": {
    let rounds = integerArgument(0, default: 20)
    let queues = integerArgument(1, default: 60)
    let workers = integerArgument(2, default: 1)
    var ran = 0
    var overtaken = 0
    var broken = 0
    for number in 1...rounds {
      let round = UrgentFirstRound(queues, workers)
      round.run()
      ran += round.ran
      overtaken += round.overtaken
      if round.overtaken > round.allowed {
        broken += 1
        report("brokenRound", "\(number): \(round.overtaken) of at most \(round.allowed)")
      }
    }
    report("ran", ran)
    report("overtaken", overtaken)
    report("roundsBroken", broken)
  }
]

/// While every worker is busy, queues of the default class get one item each, then as many
/// queues of a higher class. Then the workers become free.
///
/// A less urgent queue *overtakes* if it starts after all were submitted and before half of the
/// urgent ones have started. The limit is half, because a worker that has taken an urgent queue
/// may lose its processor before the item records its start.
private final class UrgentFirstRound: Sendable {
  /// What an item records when it starts.
  private final class Start: Sendable {
    let position = Atomic<Int>(0)
    let nanoseconds = Atomic<Int>(0)
    let isEarly = Atomic<Bool>(false)
  }

  private let workers: Int
  private let lower: [Start]
  private let urgent: [Start]
  private let started = Tally()
  private let submitted = Tally()
  private let beginning = now()

  init(_ queues: Int, _ workers: Int) {
    self.workers = workers
    lower = (0..<queues).map { _ in Start() }
    urgent = (0..<queues).map { _ in Start() }
  }

  private static func now() -> Int { Int(milliseconds() * 1e6) }

  func run() {
    let group = DispatchGroup()
    let holders = Tally()
    for _ in 0..<workers {
      DispatchQueue.global(qos: .userInteractive).async(group: group) { [self] in
        holders.increment()
        while submitted.count == 0 {}
      }
    }
    while holders.count < workers { sched_yield() }
    submit(lower, .default, group)
    submit(urgent, .userInitiated, group)
    submitted.increment()
    group.wait()
  }

  private func submit(_ starts: [Start], _ qos: DispatchQoS, _ group: DispatchGroup) {
    for start in starts {
      DispatchQueue(label: "org.signalbox.facts.urgent-first", qos: qos)
        .async(group: group) { [self] in
          // order: relaxed, all of them; the group orders them before they are read.
          start.isEarly.store(submitted.count == 0, ordering: .relaxed)
          start.nanoseconds.store(Self.now(), ordering: .relaxed)  // order: relaxed; as above.
          start.position.store(started.increment(), ordering: .relaxed)  // order: as above.
        }
    }
  }

  // MARK: After all have run

  var ran: Int { (lower + urgent).count { position(of: $0) > 0 } }

  /// The median of the urgent queues by start.
  private var middle: Start {
    urgent.sorted { position(of: $0) < position(of: $1) }[urgent.count / 2]
  }

  /// The less urgent queues that overtook while a worker took new items: a class of which nothing
  /// runs may start while every worker has run one item for three milliseconds, or has had no
  /// processor for so long.
  var overtaken: Int {
    let limit = position(of: middle)
    let times = urgent.map { time(of: $0) }
    return lower.count { start in
      // order: relaxed; the group has ordered them.
      if position(of: start) >= limit || start.isEarly.load(ordering: .relaxed) { return false }
      let now = time(of: start)
      return now - (times.filter { $0 < now }.max() ?? beginning) < 3_000_000
    }
  }

  /// Ageing gives one turn in 61 to the least urgent queue, and a queue may take two turns. If
  /// no queue of a QoS band has left the run queue for three milliseconds, the band gets a
  /// worker beyond the width. In addition, each worker may have taken a queue before all were
  /// submitted.
  var allowed: Int {
    let elapsed = time(of: middle) - beginning
    let ageing = 2 * position(of: middle) / 61 + 1
    let starving = elapsed / 3_000_000 + 1
    return ageing + starving + 2 * workers
  }

  private func time(of start: Start) -> Int {
    start.nanoseconds.load(ordering: .relaxed)  // order: relaxed; the group has ordered them.
  }

  private func position(of start: Start) -> Int {
    start.position.load(ordering: .relaxed)  // order: relaxed; the group has ordered them.
  }
}
