// SourceTimerStressTests — timer sources that are rescheduled, suspended and cancelled while they
// come due, and whose handlers take long.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let sourceTimerSubjects = [
  Subject("a timer fires once for each schedule, never before it", scheduleAnew),
  Subject("a repeating timer counts each of its times once, whatever delays it", countEach),
  Subject("timers that come due while they are cancelled leave nothing behind", cancelAsDue),
]

@Suite struct SourceTimerStressTests {
  @Test(arguments: sourceTimerSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// A timer that is rescheduled on its own queue is not in its handler at that moment. It
/// forgets its earlier schedule, and every firing belongs to the latest one.
private func scheduleAnew(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 1...3, using: &random)
  let timersEach = Int.random(in: 20...150, using: &random)
  let rounds = Int.random(in: 2...8, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let tracker = LeakTracker()
  let early = Counter(), twice = Counter(), all = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    let queue = DispatchQueue(label: "org.signalbox.stress.timers.\(thread)")
    let fired = EventCounter("fires of the last schedules of thread \(thread)")
    final class Last: @unchecked Sendable {
      // SAFETY: used on the queue only.
      var due = UInt64.max
      var fires = 0
      var isFinal = false
    }
    var timers: [(any DispatchSourceTimer, Last)] = []
    for _ in 0..<timersEach {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      let last = Last()
      let object = tracker.makeObject()
      timer.setEventHandler {
        object.touch()
        if Uptime.now().nanoseconds < last.due { early.increment() }
        last.fires += 1
        if last.fires > 1 { twice.increment() }
        if last.isFinal {
          all.increment()
          fired.increment()
        }
      }
      timer.activate()
      timers.append((timer, last))
    }
    for round in 0..<rounds {
      for (timer, last) in timers where round == rounds - 1 || Bool.random(using: &random) {
        let delay = UInt64.random(in: 0...8_000_000, using: &random)
        let leeway = Int.random(in: 0...2, using: &random)
        let isSuspended = Int.random(in: 0..<8, using: &random) == 0
        if isSuspended { timer.suspend() }
        queue.sync {
          let due = Uptime.now().nanoseconds + delay
          last.due = due
          last.fires = 0
          last.isFinal = round == rounds - 1
          timer.schedule(
            deadline: DispatchTime(uptimeNanoseconds: due), leeway: .milliseconds(leeway))
        }
        if isSuspended { timer.resume() }
      }
      dawdle(Int.random(in: 0...20_000, using: &random))
    }
    try fired.wait(for: timersEach)
    for (timer, _) in timers { timer.cancel() }
    queue.sync {}
  }
  try agree(early.value, 0, "fires before their time")
  try agree(twice.value, 0, "schedules that fired twice")
  try agree(all.value, threads * timersEach, "fires of the last schedules")
  try tracker.waitUntilAllAreFreed()
}

private func cancelAsDue(_ random: inout SeededGenerator) throws {
  let count = Int.random(in: 100...600, using: &random)
  let queue = makeSourceQueue(&random)
  let tracker = LeakTracker()
  let ended = EventCounter("cancel handlers")
  let afterEnd = Counter()
  do {
    var timers: [any DispatchSourceTimer] = []
    for number in 0..<count {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      let object = tracker.makeObject()
      let isOver = Counter()
      timer.setEventHandler {
        object.touch()
        if isOver.value > 0 { afterEnd.increment() }
      }
      timer.setCancelHandler {
        isOver.increment()
        ended.increment()
      }
      let delay = DispatchTimeInterval.microseconds(Int.random(in: 0...2_000, using: &random))
      timer.schedule(
        deadline: .now() + delay, repeating: number % 3 == 0 ? .microseconds(200) : .never)
      timer.activate()
      timers.append(timer)
    }
    timers.shuffle(using: &random)
    for timer in timers {
      dawdle(Int.random(in: 0...200, using: &random))
      timer.cancel()
    }
  }
  try ended.wait(for: count)
  try tracker.waitUntilAllAreFreed()
  queue.sync(flags: .barrier) {}
  try agree(ended.value, count, "cancel handlers")
  try agree(afterEnd.value, 0, "fires after the cancel handler")
}

/// What a repeating timer has counted for its schedule.
private final class Count: @unchecked Sendable {
  // SAFETY: used on the timer's queue only.
  var first: UInt64 = 0
  var interval: UInt64 = 0
  var counted = 0
  var isFinal = false

  /// How many of the schedule's times have passed.
  func due(by now: UInt64) -> Int { now < first ? 0 : Int((now - first) / interval) + 1 }
}

/// A time that is lost stays lost: then the count never again agrees with the clock, however long
/// the timer repeats. A time that is counted twice shows at once.
private func countEach(_ random: inout SeededGenerator) throws {
  let timers = Int.random(in: 1...12, using: &random)
  let threads = Int.random(in: 1...3, using: &random)
  let steps = Int.random(in: 10...80, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let tracker = LeakTracker()
  let tooMany = Counter(), empty = Counter()
  let queues = (0..<timers).map { DispatchQueue(label: "org.signalbox.stress.count.\($0)") }
  let counts = queues.map { _ in Count() }
  let agreed = queues.indices.map { Gate("timer \($0), whose count is complete") }
  let sources = Carried(queues.map { DispatchSource.makeTimerSource(queue: $0) })
  @Sendable func schedule(_ timer: Int, _ random: inout SeededGenerator) {
    let delay = UInt64.random(in: 0...1_000_000, using: &random)
    // Long enough that a handler, on most of its calls, reads the clock in the interval in which
    // the timer fired.
    let interval = UInt64.random(in: 500_000...4_000_000, using: &random)
    let leeway = DispatchTimeInterval.microseconds(Int.random(in: 0...500, using: &random))
    queues[timer].sync {
      let count = counts[timer]
      count.first = Uptime.now().nanoseconds + delay
      count.interval = interval
      count.counted = 0
      sources.value[timer].schedule(
        deadline: DispatchTime(uptimeNanoseconds: count.first),
        repeating: .nanoseconds(Int(interval)), leeway: leeway)
    }
  }
  for timer in queues.indices {
    let object = tracker.makeObject()
    let slow = Int.random(in: 0...3, using: &random) == 0
    let source = sources.value[timer]
    source.setEventHandler {
      let count = counts[timer]
      let data = Int(sources.value[timer].data)
      object.touch()
      if data == 0 { empty.increment() }
      count.counted += data
      let due = count.due(by: Uptime.now().nanoseconds)
      if count.counted > due { tooMany.increment() }
      if count.isFinal && count.counted == due { agreed[timer].open() }
      if slow && !count.isFinal { dawdle(count.counted % 3 * 200_000) }
    }
    schedule(timer, &random)
    source.activate()
  }
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<steps {
      let timer = Int.random(in: 0..<timers, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: schedule(timer, &random)
      case 1:
        sources.value[timer].suspend()
        dawdle(Int.random(in: 0...200_000, using: &random))
        sources.value[timer].resume()
      case 2: queues[timer].sync { dawdle(200_000) }
      default: dawdle(Int.random(in: 0...20_000, using: &random))
      }
    }
  }
  for timer in queues.indices where Bool.random(using: &random) {
    schedule(timer, &random)
  }
  for timer in queues.indices { queues[timer].sync { counts[timer].isFinal = true } }
  for gate in agreed { try gate.wait() }
  for timer in queues.indices {
    sources.value[timer].cancel()
    queues[timer].sync {}
  }
  try agree(tooMany.value, 0, "counts that ran ahead of the clock")
  try agree(empty.value, 0, "calls without a count")
  try tracker.waitUntilAllAreFreed()
}
