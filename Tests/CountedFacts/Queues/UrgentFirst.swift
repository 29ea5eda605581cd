// UrgentFirst — how many less urgent queues start while more urgent ones wait, and how many the
// pool's rules allow; see `BusyNeighbourStressTests`.

import Glibc
import SignalboxDispatch
import Synchronization

package enum UrgentFirstScenario: String, CountedScenario {
  case urgentQueuesAmongLessUrgentOnes = "urgent-queues-among-less-urgent-ones"
}

extension UrgentFirstScenario: Scenario {
  func run() {
    switch self {
    // Arguments: rounds, queues of each class, and the number of workers.
    case .urgentQueuesAmongLessUrgentOnes:
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
  }
}

/// While every worker is busy, queues of the default class get one item each, then as many
/// queues of a higher class. Then the workers become free.
///
/// A less urgent queue *overtakes* if it starts after all were submitted and before half of the
/// urgent ones have started. The limit is half, because a worker that has taken an urgent queue
/// may lose its processor before the item records its start.
private final class UrgentFirstRound: Sendable {
  /// What an item records.
  private final class Run: Sendable {
    let position = Atomic<Int>(0)
    let start = Atomic<Int>(0)
    let end = Atomic<Int>(0)
    let thread = Atomic<UInt>(0)
    let isEarly = Atomic<Bool>(false)
  }

  private let workers: Int
  private let holders: [Run]
  private let lower: [Run]
  private let urgent: [Run]
  private let started = Tally()
  private let submitted = Tally()
  private let beginning = now()

  init(_ queues: Int, _ workers: Int) {
    self.workers = workers
    holders = (0..<workers).map { _ in Run() }
    lower = (0..<queues).map { _ in Run() }
    urgent = (0..<queues).map { _ in Run() }
  }

  private static func now() -> Int { Int(milliseconds() * 1e6) }

  func run() {
    let group = DispatchGroup()
    let holding = Tally()
    for holder in holders {
      DispatchQueue.global(qos: .userInteractive).async(group: group) { [self] in
        holding.increment()
        while submitted.count == 0 {}
        recordEnd(of: holder)
      }
    }
    while holding.count < workers { sched_yield() }
    submit(lower, .default, group)
    submit(urgent, .userInitiated, group)
    submitted.increment()
    group.wait()
  }

  private func submit(_ runs: [Run], _ qos: DispatchQoS, _ group: DispatchGroup) {
    for run in runs {
      DispatchQueue(label: "org.signalbox.facts.urgent-first", qos: qos)
        .async(group: group) { [self] in
          // order: relaxed, all of them; the group orders them before they are read.
          run.isEarly.store(submitted.count == 0, ordering: .relaxed)
          run.start.store(Self.now(), ordering: .relaxed)  // order: relaxed; as above.
          run.position.store(started.increment(), ordering: .relaxed)  // order: as above.
          recordEnd(of: run)
        }
    }
  }

  private func recordEnd(of run: Run) {
    run.thread.store(UInt(pthread_self()), ordering: .relaxed)  // order: relaxed; as above.
    run.end.store(Self.now(), ordering: .relaxed)  // order: relaxed; as above.
  }

  // MARK: After all have run

  var ran: Int { (lower + urgent).count { position(of: $0) > 0 } }

  /// The median of the urgent queues by start.
  private var middle: Run {
    urgent.sorted { position(of: $0) < position(of: $1) }[urgent.count / 2]
  }

  /// The less urgent queues that overtook while every thread ended items: while a worker has run
  /// one item for three milliseconds, or has had no processor for so long, a class of which
  /// nothing runs may start on a worker beyond the width, and continues there until that item
  /// ends.
  var overtaken: Int {
    let limit = position(of: middle)
    let times = urgent.map { start(of: $0) }
    let ends = Dictionary(grouping: holders + lower + urgent) { thread(of: $0) }
      .mapValues { runs in runs.map { end(of: $0) }.sorted() }
    return lower.count { run in
      // order: relaxed; the group has ordered them.
      if position(of: run) >= limit || run.isEarly.load(ordering: .relaxed) { return false }
      let now = start(of: run)
      let earlier = now - 3_000_000
      if times.filter({ $0 < now }).max() ?? beginning <= earlier { return false }
      return !ends.contains { thread, ends in
        guard thread != self.thread(of: run), let next = ends.firstIndex(where: { $0 > now })
        else { return false }
        return next == 0 ? beginning <= earlier : ends[next - 1] <= earlier
      }
    }
  }

  /// Ageing gives one turn in 61 to the least urgent queue, and a queue may take two turns. If
  /// no queue of a QoS band has left the run queue for three milliseconds, the band gets a
  /// worker beyond the width. In addition, each worker may have taken a queue before all were
  /// submitted.
  var allowed: Int {
    let elapsed = start(of: middle) - beginning
    let ageing = 2 * position(of: middle) / 61 + 1
    let starving = elapsed / 3_000_000 + 1
    return ageing + starving + 2 * workers
  }

  private func start(of run: Run) -> Int {
    run.start.load(ordering: .relaxed)  // order: relaxed; the group has ordered them.
  }

  private func end(of run: Run) -> Int {
    run.end.load(ordering: .relaxed)  // order: relaxed; the group has ordered them.
  }

  private func thread(of run: Run) -> UInt {
    run.thread.load(ordering: .relaxed)  // order: relaxed; the group has ordered them.
  }

  private func position(of run: Run) -> Int {
    run.position.load(ordering: .relaxed)  // order: relaxed; the group has ordered them.
  }
}
