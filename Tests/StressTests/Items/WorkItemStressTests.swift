// WorkItemStressTests — work items that are cancelled, performed, awaited and notified at once.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let workItemSubjects = [
  Subject("an item runs at most once, its waiter returns and its notice comes once", race),
  Subject("an item cancelled before it is submitted never runs", cancelFirst),
  Subject("an item performed by many threads runs that many times", performByMany),
]

@Suite struct WorkItemStressTests {
  @Test(arguments: workItemSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func race(_ random: inout SeededGenerator) throws {
  let items = 200
  let queues = [
    DispatchQueue(label: "org.signalbox.stress.serial"),
    DispatchQueue(label: "org.signalbox.stress.concurrent", attributes: .concurrent),
    DispatchQueue.global(),
  ]
  let noticeQueue = DispatchQueue(label: "org.signalbox.stress.notices")
  let tracker = LeakTracker()
  let ran = (0..<items).map { _ in Counter() }
  let isCancelled = (0..<items).map { _ in Bool.random(using: &random) }
  let notices = EventCounter("notices")
  let written = (0..<items).map { _ in Unguarded(0) }
  let waited = Counter()
  let generators = (0..<4).map { _ in random.split() }
  do {
    let all = (0..<items).map { number in
      let object = tracker.makeObject()
      return Carried(
        DispatchWorkItem {
          object.touch()
          written[number].increment()
          ran[number].increment()
        })
    }
    let meeting = Rendezvous(parties: 4)
    try runThreads(4) { thread in
      var random = generators[thread]
      for number in 0..<items {
        let item = all[number].value
        if number % 10 == 0 { try meeting.meet() }
        dawdle(Int.random(in: 0...40, using: &random))
        switch thread {
        case 0:
          switch Int.random(in: 0..<3, using: &random) {
          case 0: item.perform()
          case 1: queues.randomElement(using: &random)!.sync(execute: item)
          default: queues.randomElement(using: &random)!.async(execute: item)
          }
        case 1:
          if isCancelled[number] { item.cancel() }
        case 2:
          if Bool.random(using: &random) {
            item.wait()
          } else {
            var result = DispatchTimeoutResult.timedOut
            while result == .timedOut { result = item.wait(timeout: .now() + .microseconds(50)) }
          }
          waited.increment()
          // The wait orders the memory: what the item wrote is visible without further
          // synchronization.
          let expected = isCancelled[number] ? 0...1 : 1...1
          if !expected.contains(written[number].value) { throw Broken("a wait saw no item") }
        default:
          item.notify(queue: noticeQueue) { notices.increment() }
        }
      }
    }
    try notices.wait(for: items)
    for (number, item) in all.enumerated() {
      try agree(item.value.isCancelled, isCancelled[number], "isCancelled")
    }
  }
  noticeQueue.sync {}
  for queue in queues { queue.sync(flags: .barrier) {} }
  try agree(waited.value, items, "waits")
  try agree(notices.value, items, "notices")
  for number in 0..<items {
    let count = ran[number].value
    if isCancelled[number] {
      if count > 1 { throw Broken("a cancelled item ran \(count) times") }
    } else {
      try agree(count, 1, "runs of an item")
    }
  }
  try tracker.waitUntilAllAreFreed()
}

private func cancelFirst(_ random: inout SeededGenerator) throws {
  let queue = DispatchQueue(label: "org.signalbox.stress.cancelled", attributes: .concurrent)
  let tracker = LeakTracker()
  let ran = Counter()
  let notices = EventCounter("notices")
  let items = 400
  for _ in 0..<items {
    let object = tracker.makeObject()
    let flags: DispatchWorkItemFlags = Bool.random(using: &random) ? .barrier : []
    let item = DispatchWorkItem(flags: flags) {
      object.touch()
      ran.increment()
    }
    item.notify(queue: queue) { notices.increment() }
    item.cancel()
    if Bool.random(using: &random) {
      queue.async(execute: item)
    } else {
      queue.asyncAfter(
        deadline: .now() + .microseconds(Int.random(in: 0...500, using: &random)), execute: item)
    }
  }
  try notices.wait(for: items)
  queue.sync(flags: .barrier) {}
  try agree(ran.value, 0, "cancelled items that ran")
  try tracker.waitUntilAllAreFreed()
}

private func performByMany(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...5, using: &random)
  let ran = Counter()
  let item = Carried(DispatchWorkItem { ran.increment() })
  let queue = DispatchQueue(label: "org.signalbox.stress.performed", attributes: .concurrent)
  try runThreads(threads) { thread in
    for number in 0..<500 {
      switch (thread + number) % 3 {
      case 0: item.value.perform()
      case 1: queue.async(execute: item.value)
      default: queue.sync(execute: item.value)
      }
    }
  }
  queue.sync(flags: .barrier) {}
  try agree(ran.value, threads * 500, "runs")
}
