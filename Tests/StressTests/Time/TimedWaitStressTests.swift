// TimedWaitStressTests — programs of many tasks that wait only for a moment: hundreds of threads
// sleep and wake all the time, and each wake-up causes others.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let timedWaitSubjects = [
  Subject("thousands of things that wait for a moment all come to their end", waitForMoments)
]

@Suite struct TimedWaitStressTests {
  @Test(arguments: timedWaitSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func waitForMoments(_ random: inout SeededGenerator) throws {
  let things = Int.random(in: 1_000...4_000, using: &random)
  let program = MomentaryProgram(things, &random)
  while program.mayBegin { program.beginSome(&random) }
  program.group.wait()
  try agree(program.ended.value, things, "things that ended")
  try agree(
    program.semaphores.map { $0.wait(timeout: .now()) }.count { $0 == .success },
    program.semaphores.count, "semaphores that are free at the end")
  for semaphore in program.semaphores { semaphore.signal() }
}

/// Each task does one of five things on one of the queues, and begins up to two more tasks.
private final class MomentaryProgram: Sendable {
  let group = DispatchGroup()
  let semaphores = (0..<6).map { _ in DispatchSemaphore(value: 1) }
  let ended = Counter()
  private let begun = Counter()
  private let things: Int
  private let queues: [DispatchQueue]

  init(_ things: Int, _ random: inout SeededGenerator) {
    self.things = things
    let base = DispatchQueue(label: "org.signalbox.stress.base")
    let wide = DispatchQueue(label: "org.signalbox.stress.wide", attributes: .concurrent)
    let targets = [nil, base, wide, .global()]
    queues =
      [base, wide, .global(), .global(qos: .utility), .global(qos: .userInitiated)]
      + (0..<20).map { number in
        DispatchQueue(
          label: "org.signalbox.stress.queue.\(number)",
          attributes: Bool.random(using: &random) ? .concurrent : [],
          target: targets.randomElement(using: &random)!)
      }
  }

  var mayBegin: Bool { begun.value < things }

  /// Begins some tasks, and then waits for a moment in which they begin others.
  func beginSome(_ random: inout SeededGenerator) {
    for _ in 0..<50 { begin(&random, depth: 0) }
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + moment(400, &random))
  }

  private func begin(_ random: inout SeededGenerator, depth: Int) {
    guard begun.increment() <= things else { return }
    let own = random.split()
    let queue = queues.randomElement(using: &random)!
    group.enter()
    let body: @Sendable () -> Void = { [self, own] in
      var own = own
      act(&own, depth)
      ended.increment()
      group.leave()
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: queue.async(flags: .barrier, execute: body)
    case 1: queue.asyncAfter(deadline: .now() + moment(2_000, &random), execute: body)
    default: queue.async(execute: body)
    }
  }

  private func act(_ random: inout SeededGenerator, _ depth: Int) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2:
      let semaphore = semaphores.randomElement(using: &random)!
      if semaphore.wait(timeout: .now() + moment(200, &random)) == .success {
        dawdle(Int.random(in: 0...30, using: &random))
        semaphore.signal()
      }
    case 3:
      let late = DispatchGroup()
      late.enter()
      DispatchQueue.global().asyncAfter(deadline: .now() + moment(200, &random)) { late.leave() }
      _ = late.wait(timeout: .now() + .microseconds(100))
    case 4:
      DispatchQueue.concurrentPerform(iterations: Int.random(in: 1...8, using: &random)) { _ in
        if depth < 3 { DispatchQueue.concurrentPerform(iterations: 2) { _ in dawdle(1) } }
      }
    case 5:
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + moment(200, &random))
    default: break
    }
    guard depth < 40 else { return }
    for _ in 0..<Int.random(in: 1...2, using: &random) { begin(&random, depth: depth + 1) }
  }

  private func moment(_ longest: Int, _ random: inout SeededGenerator) -> DispatchTimeInterval {
    .microseconds(Int.random(in: longest / 2...longest, using: &random))
  }
}
