// RunLoopStressTests — calls from any thread at any moment, even while the loop's thread ends.

import Glibc
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

let runLoopSubjects = [
  Subject("every signal between two passes is performed at least once", signalsAreNotLost),
  Subject("a loop is woken, stopped and given blocks while its thread ends", endOfALoop),
]

@Suite struct RunLoopStressTests {
  @Test(arguments: runLoopSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Each signal is answered before the next is sent, so a lost signal or a lost wake hangs.
private func signalsAreNotLost(_ random: inout SeededGenerator) throws {
  let rounds = Int.random(in: 1...60, using: &random)
  let senders = Int.random(in: 1...3, using: &random)
  let thread = try LoopThread()
  let seeds = (0..<senders).map { _ in random.next() }
  try runThreads(senders) { sender in
    var random = SeededGenerator(seed: seeds[sender])
    let performed = EventCounter("performs of \(sender)")
    let source = makeSource(order: sender) { performed.increment() }
    CFRunLoopAddSource(thread.loop, source, .defaultMode)
    for round in 1...rounds {
      let before = performed.value
      dawdle(Int.random(in: 0...400, using: &random))
      CFRunLoopSourceSignal(source)
      CFRunLoopWakeUp(thread.loop)
      if round % 3 == 0 { CFRunLoopWakeUp(thread.loop) }
      try performed.wait(for: before + 1)
    }
    CFRunLoopSourceInvalidate(source)
    let last = performed.value
    if last < rounds { throw Broken("\(last) performs of \(rounds) signals") }
  }
  try thread.end()
}

private func endOfALoop(_ random: inout SeededGenerator) throws {
  let tracker = LeakTracker()
  let watch = WeakWatch()
  let schedules = EventCounter("schedules"), cancels = EventCounter("cancels")
  do {
    let thread = try LoopThread { loop in watch.watch(loop) }
    let loop = thread.loop
    let seeds = (0..<3).map { _ in random.next() }
    let others = try seeds.map { seed in
      try PlainThread {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
          let object = tracker.makeObject()
          dawdle(Int.random(in: 0...200, using: &random))
          switch Int.random(in: 0..<6, using: &random) {
          case 0: CFRunLoopWakeUp(loop)
          case 1: CFRunLoopStop(loop)
          case 2:
            CFRunLoopPerformBlock(loop, .commonModes) { object.touch() }
            CFRunLoopWakeUp(loop)
          case 3:
            CFRunLoopAddObserver(
              loop, makeObserver(of: .beforeWaiting) { _ in object.touch() }, .commonModes)
          default:
            let source = watch.watch(
              makeSource(
                schedule: { _, _ in schedules.increment() },
                cancel: { _, _ in cancels.increment() }, { object.touch() }))
            CFRunLoopAddSource(loop, source, .defaultMode)
            CFRunLoopSourceSignal(source)
            CFRunLoopWakeUp(loop)
            if Bool.random(using: &random) { CFRunLoopSourceInvalidate(source) }
          }
        }
      }
    }
    dawdle(Int.random(in: 0...20000, using: &random))
    try thread.end()
    for other in others { try other.join() }
  }
  try tracker.waitUntilAllAreFreed()
  try watch.waitUntilAllAreFreed()
  try agree(cancels.value, schedules.value, "cancels of as many schedules")
}
