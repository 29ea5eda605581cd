// BarrierUnderLoadTests — D33: no combination of barriers loses a wake-up or deadlocks under
// load.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct BarrierUnderLoadTests {
  enum Submission: CaseIterable {
    case async, asyncBarrier, barrierItem, sync, syncBarrier, syncBarrierItem, afterBarrier

    var isBarrier: Bool { self != .async && self != .sync }

    func submit(
      to queue: DispatchQueue, _ group: DispatchGroup, _ body: @escaping @Sendable () -> Void
    ) {
      switch self {
      case .async: queue.async(group: group, execute: body)
      case .asyncBarrier: queue.async(group: group, flags: .barrier, execute: body)
      case .barrierItem:
        queue.async(group: group, execute: DispatchWorkItem(flags: .barrier, block: body))
      case .sync: queue.sync { body() }
      case .syncBarrier: queue.sync(flags: .barrier) { body() }
      case .syncBarrierItem:
        queue.sync(execute: DispatchWorkItem(flags: .barrier, block: body))
      case .afterBarrier:
        group.enter()
        queue.asyncAfter(deadline: .now() + .microseconds(20), flags: .barrier) {
          body()
          group.leave()
        }
      }
    }
  }

  enum Target: CaseIterable {
    case global, concurrent, serial

    func makeQueue() -> DispatchQueue {
      switch self {
      case .global: DispatchQueue(label: "test.load", attributes: .concurrent)
      case .concurrent:
        DispatchQueue(
          label: "test.load", attributes: .concurrent,
          target: DispatchQueue(label: "test.load.target", attributes: .concurrent))
      case .serial:
        DispatchQueue(
          label: "test.load", attributes: .concurrent,
          target: DispatchQueue(label: "test.load.target"))
      }
    }
  }

  /// What each body checks about the running items: a barrier is alone.
  final class Watch: Sendable {
    let inside = Occupancy()
    let ran = EventCounter("runs")
    let broken = EventCounter("barriers in company")

    func body(isBarrier: Bool) {
      let count = inside.enter()
      if isBarrier && count != 1 { broken.increment() }
      if isBarrier && inside.inside != 1 { broken.increment() }
      inside.leave()
      ran.increment()
    }
  }

  @Test(arguments: Target.allCases)
  func everyPairOfSubmissionsEnds(_ target: Target) throws {
    // A contended call waits for a thread twice. Where that takes long, fewer have to do.
    let end = Uptime.now() + RealTime.wedge
    try withEvery("first", in: Submission.allCases) { first in
      try withEvery("second", in: Submission.allCases) { second in
        let queue = target.makeQueue()
        let group = DispatchGroup()
        let watch = Watch()
        let turns = Uptime.now() < end ? 40 : 10
        try runThreads(3) { index in
          let submission = index == 0 ? first : second
          for _ in 0..<turns {
            submission.submit(to: queue, group) { watch.body(isBarrier: submission.isBarrier) }
          }
        }
        try watch.ran.wait(for: 3 * turns)
        group.wait()
        queue.sync(flags: .barrier) {}
        #expect(watch.ran.value == 3 * turns)
        #expect(watch.broken.value == 0)
        #expect(watch.inside.inside == 0)
      }
    }
  }

  @Test(arguments: Target.allCases)
  func randomMixOfAllSubmissionsEnds(_ target: Target) throws {
    var generator = SeededGenerator.announced()
    let queue = target.makeQueue()
    let group = DispatchGroup()
    let watch = Watch()
    let generators = (0..<4).map { _ in generator.split() }
    try runThreads(4) { index in
      var generator = generators[index]
      for _ in 0..<400 {
        let submission = Submission.allCases.randomElement(using: &generator)!
        submission.submit(to: queue, group) { watch.body(isBarrier: submission.isBarrier) }
      }
    }
    try watch.ran.wait(for: 1600)
    group.wait()
    #expect(watch.ran.value == 1600)
    #expect(watch.broken.value == 0)
  }
}
