// Scene+Concurrency — the figure of concurrency and parallelism: two threads that take turns on
// one processor, and two that compute at the same time.

import SignalboxDispatch
import SignalboxTrace

extension Scene {
  private static let turns = 1...4

  static let concurrency = Scene(
    name: "concurrency", title: "Concurrency: two threads take turns on one processor",
    source: "GCD in depth, part 1: figure “Concurrency_vs_Parallelism”, its upper half.",
    steps: turns.map { turn in
      Step(
        turn == turns.lowerBound
          ? "One thread runs; after a context switch the other one does."
          : "A context switch, the first thread again; another one, and the second again.",
        ["A", "B"].flatMap { name -> [Pattern] in
          [
            .marks("\(name), turn \(turn)", on: .worker),
            .marks("\(name), end of turn \(turn)", on: .worker),
          ]
        },
        facts: turn == turns.upperBound ? [bothAreUnderWay, switchesAreCounted] : [])
    },
    pieces: turns.flatMap { turn in
      ["A", "B"].map { ("\($0), turn \(turn)", "\($0), end of turn \(turn)") }
    },
    needsOneProcessor: true,
    perform: { end in
      // code: concurrency
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      let mayRun = [DispatchSemaphore(value: 1), DispatchSemaphore(value: 0)]
      for (number, name) in ["A", "B"].enumerated() {
        queue.async {
          TraceRecorder.mark(name)
          for turn in turns {
            mayRun[number].wait()
            TraceRecorder.mark("\(name), turn \(turn)")
            Work.compute(microseconds: 600)
            TraceRecorder.mark("\(name), end of turn \(turn)")
            mayRun[1 - number].signal()
          }
        }
      }
      queue.async(flags: .barrier) { DispatchQueue.main.async { end() } }
      // end
    })

  private static let bothAreUnderWay = Fact("both are under way at one time: they are concurrent") {
    run in run.runAtOnce("A", "B")
  }

  /// On one processor a thread has left it whenever the other one had a turn.
  private static let switchesAreCounted = Fact(
    "each thread has left the processor at least once between two turns of its own, and the "
      + "recording has counted it"
  ) { run in
    ["A", "B"].allSatisfy { name in
      run.item(name).map { $0.switches + $0.preempted >= turns.count - 1 } ?? false
    }
  }

  static let parallelism = Scene(
    name: "parallelism", title: "Parallelism: two threads compute at the same time",
    source: "GCD in depth, part 1: figure “Concurrency_vs_Parallelism”, its lower half. Two "
      + "processors are needed for it.",
    steps: [
      Step(
        "Two threads are under way.", [.starts("A", on: .worker), .starts("B", on: .worker)],
        isOrdered: false, facts: [Fact("they are two") { run in areOnTwoThreads(run) }]),
      Step(
        "Both compute at the same time.",
        [.marks("A computes", on: .worker), .marks("B computes", on: .worker)], isOrdered: false),
      Step(
        "Neither has waited for the other.",
        [.marks("A has computed", on: .worker), .marks("B has computed", on: .worker)],
        isOrdered: false,
        facts: [Fact("no wait lies within their computing") { run in computeWithoutWaiting(run) }]),
    ],
    pieces: ["A", "B"].map { ("\($0) computes", "\($0) has computed") },
    perform: { end in
      // code: parallelism
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      let computes = ["A": Flag(), "B": Flag()]
      let runs = ["A": DispatchSemaphore(value: 0), "B": DispatchSemaphore(value: 0)]
      for (name, other) in [("A", "B"), ("B", "A")] {
        queue.async {
          TraceRecorder.mark(name)
          // Both have a thread, before either computes.
          runs[other]?.signal()
          runs[name]?.wait()
          TraceRecorder.mark("\(name) computes")
          computes[name]?.set()
          Work.compute { computes[other]?.isSet ?? true }
          Work.compute(microseconds: 2500)
          TraceRecorder.mark("\(name) has computed")
        }
      }
      queue.async(flags: .barrier) { DispatchQueue.main.async { end() } }
      // end
    })

  private static func areOnTwoThreads(_ run: RecordedRun) -> Bool {
    guard let a = run.item("A"), let b = run.item("B") else { return false }
    return a.runner != b.runner && run.runAtOnce("A", "B")
  }

  private static func computeWithoutWaiting(_ run: RecordedRun) -> Bool {
    ["A", "B"].allSatisfy { name in
      guard let item = run.item(name), let begin = run.mark("\(name) computes"),
        let end = run.mark("\(name) has computed")
      else { return false }
      return !run.waits.contains {
        $0.thread == item.runner && $0.began < end && ($0.ended < 0 || $0.ended > begin)
      }
    }
  }
}
