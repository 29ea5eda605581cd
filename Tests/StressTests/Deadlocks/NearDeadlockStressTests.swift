// NearDeadlockStressTests — states that look like a deadlock for a moment, but are not: the
// search must not report them. A false report ends the process.
//
// Here every wait searches at once, not only a long one. In each pattern a
// thread holds a queue and waits, and another waits for that queue. It is not
// a cycle because one of the waits has a deadline, has just ended, or is
// ended by a third thread.

import SignalboxDispatch
import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

let nearDeadlockSubjects = [
  Subject("cycles that never close are not reported", nearCycles),
  Subject("long chains of waits are not reported", chains),
]

@Suite struct NearDeadlockStressTests {
  @Test(arguments: nearDeadlockSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Makes every wait of the process search for a deadlock while any test requests it.
enum EveryWaitLooks {
  private static let wanted = Guarded(0)

  static func during(_ body: () throws -> Void) rethrows {
    wanted.withValue {
      $0 += 1
      LongWait.delay.store(0, ordering: .relaxed)
    }
    defer {
      wanted.withValue {
        $0 -= 1
        if $0 == 0 { LongWait.delay.store(LongWait.usualDelay, ordering: .relaxed) }
      }
    }
    try body()
  }
}

// MARK: Near cycles

/// How a thread that holds a queue and another that waits for it come close to a cycle.
private enum Pattern: CaseIterable {
  case leftJustBefore, timedGroup, timedWorkItem, leftByAnother, cancelledByAnother
  case onceJustBefore, barrierJustAfter, timedBehindTarget, resumedByAnother, loop
}

/// What all threads of a pass use repeatedly.
private struct Scene: Sendable {
  let serial = (0..<3).map { DispatchQueue(label: "org.signalbox.stress.near.\($0)") }
  let readers = DispatchQueue(label: "org.signalbox.stress.near.readers", attributes: .concurrent)
  let target = DispatchQueue(label: "org.signalbox.stress.near.target")
  let onces = (0..<400).map { _ in DispatchOnce() }
  let ran = Counter()
}

/// What one thread uses alone: no other thread's items are between its own.
private struct Own: Sendable {
  let queue = DispatchQueue(label: "org.signalbox.stress.near.own")
  let upper: DispatchQueue
  let group = DispatchGroup()
  let scene: Scene

  init(_ scene: Scene) {
    self.scene = scene
    upper = DispatchQueue(label: "org.signalbox.stress.near.upper", target: scene.target)
  }

  func play(_ pattern: Pattern, _ random: inout SeededGenerator) {
    let held = scene.serial.randomElement(using: &random)!
    let steps = Int.random(in: 0...120, using: &random)
    let moment = DispatchTimeInterval.microseconds(Int.random(in: 0...120, using: &random))
    let (own, upper, group, scene) = (queue, upper, group, scene)
    switch pattern {
    case .leftJustBefore:
      held.sync {
        own.async(group: group) { dawdle(steps) }
        own.async { held.sync { _ = scene.ran.increment() } }
        group.wait()
      }
    case .timedGroup:
      held.sync {
        own.async(group: group) { held.sync { _ = scene.ran.increment() } }
        _ = group.wait(timeout: .now() + moment)
      }
      group.wait()
    case .timedWorkItem:
      let item = DispatchWorkItem { held.sync { dawdle(steps) } }
      held.sync {
        own.async(execute: item)
        _ = item.wait(timeout: .now() + moment)
        item.cancel()
      }
      scene.ran.increment()
    case .leftByAnother:
      held.sync {
        group.enter()
        own.async(group: group) { dawdle(steps) }
        DispatchQueue.global().async {
          dawdle(steps)
          group.leave()
          held.sync { _ = scene.ran.increment() }
        }
        group.wait()
      }
    case .cancelledByAnother:
      let item = DispatchWorkItem {}
      own.asyncAfter(deadline: .now() + .seconds(1000), execute: item)
      let carried = Carried(item)
      held.sync {
        DispatchQueue.global().async {
          dawdle(steps)
          carried.value.cancel()
          held.sync { _ = scene.ran.increment() }
        }
        item.wait()
      }
    case .onceJustBefore:
      let once = scene.onces.randomElement(using: &random)!
      if Bool.random(using: &random) {
        once.perform { dawdle(steps) }
        held.sync { _ = scene.ran.increment() }
      } else {
        held.sync { once.perform { dawdle(steps) } }
        scene.ran.increment()
      }
    case .barrierJustAfter:
      scene.readers.sync {
        own.async(group: group) { dawdle(steps) }
        own.async { scene.readers.sync(flags: .barrier) { _ = scene.ran.increment() } }
        group.wait()
      }
    case .timedBehindTarget:
      scene.target.sync {
        upper.async(group: group) { scene.ran.increment() }
        _ = group.wait(timeout: .now() + moment)
      }
      group.wait()
    case .resumedByAnother:
      held.sync {
        own.suspend()
        own.async(group: group) { dawdle(steps) }
        DispatchQueue.global().async {
          own.resume()
          held.sync { _ = scene.ran.increment() }
        }
        group.wait()
      }
    case .loop:
      held.sync { DispatchQueue.concurrentPerform(iterations: 4) { _ in dawdle(steps) } }
      scene.ran.increment()
    }
    // The next turn must not find this turn's items before its own.
    own.sync {}
    upper.sync {}
  }
}

private func nearCycles(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 3...6, using: &random)
  let turns = Int.random(in: 30...80, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let scene = Scene()
  try EveryWaitLooks.during {
    try runThreads(threads) { thread in
      var random = generators[thread]
      let own = Own(scene)
      for _ in 0..<turns { own.play(Pattern.allCases.randomElement(using: &random)!, &random) }
    }
    // Items of other threads' patterns may not have run yet.
    let limit = Uptime.now() + RealTime.wedge
    while scene.ran.value < threads * turns && Uptime.now() < limit { hesitate() }
  }
  try agree(scene.ran.value, threads * turns, "turns")
}

// MARK: Chains

/// Queues with an order in which a thread may hold them nested.
private struct Ladder: Sendable {
  let queues: [DispatchQueue]

  init() {
    let target = DispatchQueue(label: "org.signalbox.stress.ladder.target")
    queues = (0..<8).map { rung in
      DispatchQueue(
        label: "org.signalbox.stress.ladder.\(rung)", attributes: rung % 3 == 1 ? .concurrent : [],
        target: rung == 7 ? target : nil)
    }
  }

  /// Takes some queues from `rung` on, nested, and sometimes waits for a group on the way.
  func climb(_ rung: Int, _ random: SeededGenerator, _ body: @escaping @Sendable () -> Void) {
    var random = random
    guard let next = (rung..<queues.count).randomElement(using: &random) else { return body() }
    let queue = queues[next]
    let rest = random.split()
    let isLast = Int.random(in: 0..<3, using: &random) == 0
    let inner: @Sendable () -> Void = { isLast ? body() : climb(next + 1, rest, body) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let group = DispatchGroup()
      queue.async(group: group, flags: .barrier, execute: inner)
      group.wait()
    case 1:
      let item = DispatchWorkItem(block: inner)
      queue.async(execute: item)
      item.wait()
    case 2: queue.sync(flags: .barrier, execute: inner)
    default: queue.sync(execute: inner)
    }
  }
}

private func chains(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 3...8, using: &random)
  let turns = 60
  let generators = (0..<threads).map { _ in random.split() }
  let ladder = Ladder()
  let ended = Counter()
  try EveryWaitLooks.during {
    try runThreads(threads) { thread in
      var random = generators[thread]
      for _ in 0..<turns { ladder.climb(0, random.split()) { ended.increment() } }
    }
  }
  try agree(ended.value, threads * turns, "turns")
}
