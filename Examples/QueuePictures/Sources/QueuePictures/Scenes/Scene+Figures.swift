// Scene+Figures — the figures of a serial queue, of a concurrent one, and of a barrier.

import SignalboxDispatch
import SignalboxTrace

extension Scene {
  // MARK: A serial queue

  static let serial = Scene(
    name: "serial-queue", title: "A serial queue",
    source: "GCD in depth, part 1: figure “Serial-Queue”.",
    steps: (0..<4).map { number in
      Step(
        number == 0
          ? "One task runs at a time, in the order in which they were added."
          : "Task \(number) starts when task \(number - 1) is over, and some time after that.",
        [
          .starts("Block \(number)", on: .worker), .finishes("Block \(number)", on: .worker),
        ],
        facts: number == 0 ? [allAreSubmittedFirst] : [])
    },
    perform: { end in
      // code: serial-queue
      let queue = DispatchQueue(label: "serial")
      let allAreSubmitted = Gate()
      for (number, length) in [900, 500, 1200, 700].enumerated() {
        queue.async {
          TraceRecorder.mark("Block \(number)")
          if number == 0 { allAreSubmitted.wait() }
          Work.compute(microseconds: length)
        }
      }
      allAreSubmitted.open()
      queue.async { DispatchQueue.main.async { end() } }
      // end
    })

  private static let allAreSubmittedFirst = Fact("all were added before the first was over") {
    run in
    let found = (0..<4).compactMap { run.item("Block \($0)") }
    guard found.count == 4 else { return false }
    return found.allSatisfy { $0.submitted < found[0].finished }
      && zip(found, found.dropFirst()).allSatisfy { $0.submitted < $1.submitted }
  }

  // MARK: A concurrent queue

  static let concurrent = Scene(
    name: "concurrent-queue", title: "A concurrent queue",
    source: "GCD in depth, part 1: figure “Concurrent-Queue”.",
    steps: [
      Step(
        "Block 0 starts; a good while passes before block 1 does.",
        [
          .starts("Block 0", on: .worker), .marks("a good while", on: .worker),
          .starts("Block 1", on: .worker),
        ]),
      Step(
        "Blocks 1, 2 and 3 start one right after the other, in the order of submission.",
        [.starts("Block 2", on: .worker), .starts("Block 3", on: .worker)],
        facts: [
          Fact("at one moment all four run") { run in
            run.runAtOnce("Block 0", "Block 1", "Block 2", "Block 3")
          }
        ]),
      Step(
        "Block 3 started after block 2, but is over before it: they end in any order.",
        [.finishes("Block 3", on: .worker), .finishes("Block 2", on: .worker)]),
    ],
    perform: { end in
      // code: concurrent-queue
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      let (thirdRuns, secondEnds) = (Gate(), Gate())
      let next = DispatchSemaphore(value: 0)
      queue.async {
        TraceRecorder.mark("Block 0")
        Work.compute(microseconds: 1500)
        TraceRecorder.mark("a good while")
        next.signal()
        secondEnds.wait()
      }
      next.wait()
      queue.async {
        TraceRecorder.mark("Block 1")
        next.signal()
        Work.compute(microseconds: 900)
        secondEnds.wait()
        Work.compute(microseconds: 900)
      }
      next.wait()
      queue.async {
        TraceRecorder.mark("Block 2")
        next.signal()
        // Until the third is over: three are left.
        thirdRuns.wait()
        Work.compute { Waiting.running(on: "concurrent") == 3 }
        Work.compute(microseconds: 500)
        secondEnds.open()
        next.signal()
      }
      next.wait()
      queue.async {
        TraceRecorder.mark("Block 3")
        thirdRuns.open()
        Work.compute(microseconds: 800)
      }
      next.wait()
      queue.async(flags: .barrier) { DispatchQueue.main.async { end() } }
      // end
    })

  // MARK: A barrier

  static let barrier = Scene(
    name: "barrier", title: "A barrier",
    source: "GCD in depth, part 1: figure “Dispatch-Barrier”.",
    steps: [
      Step(
        "Before the barrier the queue is a concurrent one as any other.",
        (0..<3).map { .starts("Block \($0)", on: .worker) },
        facts: [
          Fact("blocks 0, 1 and 2 run at the same time") { run in
            run.runAtOnce("Block 0", "Block 1", "Block 2")
          }
        ]),
      Step(
        "The barrier waits for all that were submitted before it.",
        (0..<3).map { .finishes("Block \($0)", on: .worker) }, isOrdered: false),
      Step(
        "The barrier runs alone, as if the queue were serial.",
        [.starts("Barrier", on: .worker), .finishes("Barrier", on: .worker)],
        facts: [
          Fact("it and all that follow were submitted while the first blocks ran") { run in
            let first = (0..<3).compactMap { run.item("Block \($0)")?.finished }.min() ?? -1
            let later = ["Barrier"] + (3..<6).map { "Block \($0)" }
            return later.allSatisfy { run.item($0).map { $0.submitted < first } ?? false }
          },
          Fact("nothing else of the queue runs meanwhile") { run in
            guard let barrier = run.item("Barrier"), barrier.isBarrier else { return false }
            return run.items.allSatisfy { item in
              item.queue != barrier.queue || item == barrier || item.started < 0
                || (item.finished >= 0 && item.finished <= barrier.started)
                || item.started >= barrier.finished
            }
          },
        ]),
      Step(
        "After the barrier it is a concurrent queue again.",
        (3..<6).map { .starts("Block \($0)", on: .worker) }, isOrdered: false,
        facts: [
          Fact("blocks 3, 4 and 5 run at the same time") { run in
            run.runAtOnce("Block 3", "Block 4", "Block 5")
          }
        ]),
    ],
    perform: { end in
      // code: barrier
      let queue = DispatchQueue(label: "photos", attributes: .concurrent)
      let run = (0..<6).map { _ in Gate() }
      let allAreSubmitted = Gate()
      let lengths = [500, 900, 1200, 700, 1100, 500]
      for number in 0..<6 {
        queue.async {
          TraceRecorder.mark("Block \(number)")
          run[number].open()
          Work.compute(microseconds: lengths[number])
          // None ends before all three of its kind run.
          for gate in number < 3 ? run[..<3] : run[3...] { gate.wait() }
          allAreSubmitted.wait()
          Work.compute(microseconds: 300)
        }
        // The first three start in their order; what follows waits for the barrier.
        if number < 3 { run[number].wait() }
        if number == 2 {
          queue.async(flags: .barrier) {
            TraceRecorder.mark("Barrier")
            Work.compute(microseconds: 1000)
          }
        }
      }
      allAreSubmitted.open()
      queue.async(flags: .barrier) { DispatchQueue.main.async { end() } }
      // end
    })
}
