// TimerStressTests — timers of run loops that several threads make, move, add, remove and
// invalidate at a time, while loops start, fire them and end.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

let timerSubjects = [
  Subject("timers in a storm of changes fire by the rules and leave nothing behind", storm),
  Subject("every timer that is left alone fires once", allFire),
]

@Suite struct TimerStressTests {
  @Test(arguments: timerSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Threads whose loops run until they are stopped.
private struct Loops {
  private let loops: [CFRunLoop]
  private let threads: [PlainThread]
  static let mode = CFRunLoopMode("storm")

  init(_ count: Int) throws {
    let found = EventLog<CFRunLoop>()
    threads = try (0..<count).map { _ in
      try PlainThread {
        let loop = CFRunLoopGetCurrent()!
        // A timer that never fires keeps the loop running.
        let kept = CFRunLoopTimerCreateWithHandler(nil, .infinity, 0, 0, 0) { _ in }!
        CFRunLoopAddTimer(loop, kept, Loops.mode)
        found.append(loop)
        while CFRunLoopRunInMode(Loops.mode, 1_000, false) != .stopped {}
        CFRunLoopTimerInvalidate(kept)
      }
    }
    loops = try found.wait(forCount: count)
  }

  func any(_ random: inout SeededGenerator) -> CFRunLoop { loops.randomElement(using: &random)! }

  /// Stops each loop until its thread is gone, because a stop only affects a running loop.
  func end() throws {
    for (loop, thread) in zip(loops, threads) {
      CFRunLoopPerformBlock(loop, Loops.mode) { CFRunLoopStop(loop) }
      CFRunLoopWakeUp(loop)
      _ = thread
    }
    for thread in threads { try thread.join() }
  }
}

/// What the test knows about one timer.
private final class Life: Sendable {
  let fires = Counter(), inside = Counter(), together = Counter(), tooLate = Counter()
  /// Set after the timer was invalidated on its loop's thread; no call may follow.
  let isOver = Guarded(false)
}

/// Checks that the loop makes one call at a time, makes none after an invalidation on its
/// thread, calls a non-repeating timer once, and retains nothing afterwards.
private func storm(_ random: inout SeededGenerator) throws {
  let loops = try Loops(Int.random(in: 1...3, using: &random))
  let threads = Int.random(in: 1...4, using: &random)
  let steps = Int.random(in: 50...400, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let tracker = LeakTracker()
  let timers = WeakWatch()
  let early = Counter()
  let lives = Guarded<[(life: Life, repeats: Bool)]>([])
  try runThreads(threads) { thread in
    var random = generators[thread]
    var own: [CFRunLoopTimer] = []
    for _ in 0..<steps {
      let now = CFAbsoluteTimeGetCurrent()
      let date = now + Double.random(in: -0.002...0.004, using: &random)
      guard let timer = own.randomElement(using: &random), Int.random(in: 0..<8, using: &random) > 0
      else {
        let life = Life()
        let object = tracker.makeObject()
        let interval =
          Bool.random(using: &random) ? Double.random(in: 0...0.003, using: &random) : 0
        let ends = Int.random(in: 1...20, using: &random)
        let timer = CFRunLoopTimerCreateWithHandler(
          nil, date, interval, 0, Int.random(in: -1...1, using: &random)
        ) { timer in
          if life.inside.increment() != 1 { life.together.increment() }
          if life.isOver.current { life.tooLate.increment() }
          object.touch()
          life.fires.increment()
          if life.fires.value == ends {
            CFRunLoopTimerInvalidate(timer)
            life.isOver.withValue { $0 = true }
          }
          life.inside.decrement()
        }!
        lives.withValue { $0.append((life, interval > 0)) }
        CFRunLoopAddTimer(loops.any(&random), timers.watch(timer), Loops.mode)
        own.append(timer)
        continue
      }
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1: CFRunLoopTimerSetNextFireDate(timer, date)
      case 2:
        CFRunLoopTimerSetTolerance(timer, Double.random(in: 0...0.002, using: &random))
      case 3:
        CFRunLoopTimerInvalidate(timer)
        if CFRunLoopTimerIsValid(timer) { early.increment() }
        own.removeAll { $0 === timer }
      case 4: CFRunLoopRemoveTimer(loops.any(&random), timer, Loops.mode)
      case 5: CFRunLoopAddTimer(loops.any(&random), timer, Loops.mode)
      default: dawdle(Int.random(in: 0...500, using: &random))
      }
    }
    for timer in own { CFRunLoopTimerInvalidate(timer) }
  }
  try loops.end()
  try agree(early.value, 0, "timers that were valid after an invalidation")
  for (life, repeats) in lives.current {
    try agree(life.together.value, 0, "calls of one timer side by side")
    try agree(life.tooLate.value, 0, "calls after an invalidation on the loop's thread")
    if !repeats && life.fires.value > 1 {
      throw Broken("a timer that does not repeat fired \(life.fires.value) times")
    }
  }
  lives.withValue { $0 = [] }
  try tracker.waitUntilAllAreFreed()
  try timers.waitUntilAllAreFreed()
}

/// All timers fire, whatever else happens, and however much tolerance they have.
private func allFire(_ random: inout SeededGenerator) throws {
  let loops = try Loops(Int.random(in: 1...2, using: &random))
  let threads = Int.random(in: 1...4, using: &random)
  let each = Int.random(in: 10...200, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let fires = EventCounter("fires")
  let early = Counter()
  let tracker = LeakTracker()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<each {
      let due = CFAbsoluteTimeGetCurrent() + Double.random(in: -0.001...0.01, using: &random)
      let object = tracker.makeObject()
      let timer = CFRunLoopTimerCreateWithHandler(nil, due, 0, 0, 0) { _ in
        // The two clocks are not read at the same instant.
        if CFAbsoluteTimeGetCurrent() < due - 0.0005 { early.increment() }
        object.touch()
        fires.increment()
      }
      if Bool.random(using: &random) {
        CFRunLoopTimerSetTolerance(timer, Double.random(in: 0...0.01, using: &random))
      }
      CFRunLoopAddTimer(loops.any(&random), timer, Loops.mode)
    }
  }
  try fires.wait(for: threads * each)
  try loops.end()
  try agree(fires.value, threads * each, "fires")
  try agree(early.value, 0, "fires before their time")
  try tracker.waitUntilAllAreFreed()
}
