// AsyncAfterStressTests — delayed items, some of them cancelled.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let asyncAfterSubjects = [
  Subject("nothing runs early, nothing is lost, nothing runs twice", putOff),
  Subject("an item taken back while it comes due runs at most once and is freed", takeBack),
  Subject("a cancelled item's captures are gone when cancel returns", freeAtOnce),
]

@Suite struct AsyncAfterStressTests {
  @Test(arguments: asyncAfterSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func wallNanoseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

private func putOff(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 1...4, using: &random)
  let items = Int.random(in: 50...300, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let queues = [
    DispatchQueue(label: "org.signalbox.stress.after"),
    DispatchQueue(label: "org.signalbox.stress.after.concurrent", attributes: .concurrent),
    DispatchQueue.global(),
  ]
  let tracker = LeakTracker()
  let group = DispatchGroup()
  let early = Counter()
  let ran = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<items {
      let queue = queues.randomElement(using: &random)!
      let delay = UInt64.random(in: 0...60_000_000, using: &random)
      let object = tracker.makeObject()
      group.enter()
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let due = wallNanoseconds() + delay
        let deadline = DispatchWallTime(
          timespec: timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000)))
        queue.asyncAfter(wallDeadline: deadline) {
          object.touch()
          if wallNanoseconds() < due { early.increment() }
          ran.increment()
          group.leave()
        }
      case 1:
        let due = Uptime.now().nanoseconds + delay
        let item = DispatchWorkItem {
          object.touch()
          if Uptime.now().nanoseconds < due { early.increment() }
          ran.increment()
          group.leave()
        }
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: due), execute: item)
      default:
        let due = Uptime.now().nanoseconds + delay
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: due), flags: .barrier) {
          object.touch()
          if Uptime.now().nanoseconds < due { early.increment() }
          ran.increment()
          group.leave()
        }
      }
    }
  }
  group.wait()
  for queue in queues { queue.sync(flags: .barrier) {} }
  try agree(ran.value, threads * items, "items run")
  try agree(early.value, 0, "items that ran early")
  try tracker.waitUntilAllAreFreed()
}

private func takeBack(_ random: inout SeededGenerator) throws {
  let items = Int.random(in: 200...800, using: &random)
  let queue = DispatchQueue(label: "org.signalbox.stress.taken-back", attributes: .concurrent)
  let tracker = LeakTracker()
  let ran = (0..<items).map { _ in Counter() }
  let isTakenBack = (0..<items).map { _ in Bool.random(using: &random) }
  let finished = EventCounter("items that were not taken back")
  let generators = (0..<2).map { _ in random.split() }
  do {
    let all = Carried(
      (0..<items).map { number in
        let object = tracker.makeObject()
        return DispatchWorkItem {
          object.touch()
          ran[number].increment()
          if !isTakenBack[number] { finished.increment() }
        }
      })
    try runThreads(2) { thread in
      var random = generators[thread]
      for (number, item) in all.value.enumerated() {
        if thread == 0 {
          let delay = DispatchTimeInterval.microseconds(Int.random(in: 0...300, using: &random))
          queue.asyncAfter(deadline: .now() + delay, execute: item)
        } else if isTakenBack[number] {
          dawdle(Int.random(in: 0...200, using: &random))
          item.cancel()
        }
      }
    }
    try finished.wait(for: isTakenBack.count { !$0 })
  }
  try tracker.waitUntilAllAreFreed()
  queue.sync(flags: .barrier) {}
  for number in 0..<items {
    let count = ran[number].value
    if isTakenBack[number] ? count > 1 : count != 1 {
      throw Broken("item \(number) ran \(count) times; taken back: \(isTakenBack[number])")
    }
  }
}

private func freeAtOnce(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...4, using: &random)
  let items = 100
  let queue = DispatchQueue(label: "org.signalbox.stress.far")
  let trackers = (0..<threads).map { _ in LeakTracker() }
  let generators = (0..<threads).map { _ in random.split() }
  let ran = Counter()
  let late = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    var held: [DispatchWorkItem] = []
    for number in 0..<items {
      let object = trackers[thread].makeObject()
      let item = DispatchWorkItem {
        object.touch()
        ran.increment()
      }
      let delay = DispatchTimeInterval.seconds(Int.random(in: 1000...100_000, using: &random))
      if Bool.random(using: &random) {
        queue.asyncAfter(deadline: .now() + delay, execute: item)
      } else {
        queue.asyncAfter(wallDeadline: .now() + delay, execute: item)
      }
      held.append(item)
      if number % 3 == 0 {
        held.remove(at: Int.random(in: 0..<held.count, using: &random)).cancel()
      }
    }
    held.shuffle(using: &random)
    for (number, item) in held.enumerated() {
      item.cancel()
      // The last turn's `object` is freed at the end of its scope; all others are freed
      // already.
      if trackers[thread].alive != held.count - number - 1 { late.increment() }
    }
  }
  try agree(late.value, 0, "items that outlived their cancel")
  try agree(ran.value, 0, "cancelled items that ran")
  for tracker in trackers { try agree(tracker.alive, 0, "objects alive") }
}
