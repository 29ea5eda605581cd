// ThreadStressTests — start against cancel, exit against join against detach, names while a
// thread begins and ends, and objects that are freed while their threads run.

import CSignalbox
import Glibc
import SignalboxLocks
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxThreads
import Testing

let threadSubjects = [
  Subject("a thread that is cancelled as it starts runs once or not at all", startAndCancel),
  Subject("each thread gives its result once, however it ends and is waited for", endAndJoin),
  Subject("a thread is given back once, whoever detaches it and when", detachAtAnyTime),
  Subject("a name set while a thread begins or ends is not lost", nameAtAnyTime),
  Subject("whoever waits for the threads that must finish sees them all", waitForThose),
  Subject("a thread of changed priority starts threads that are its equals", startFromAny),
]

@Suite struct ThreadStressTests {
  @Test(arguments: threadSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func startAndCancel(_ random: inout SeededGenerator) throws {
  let count = Int.random(in: 1...8, using: &random)
  let watch = WeakWatch()
  let ran = Counter(), ended = Counter()
  var kept: [Carried<Thread>] = []
  for _ in 0..<count {
    let steps = Int.random(in: 0...300, using: &random)
    let thread = Carried(watch.watch(Thread { ran.increment() }))
    let isOther = Bool.random(using: &random)
    let cancels = try PlainThread {
      dawdle(steps)
      thread.value.cancel()
    }
    dawdle(Int.random(in: 0...300, using: &random))
    if isOther { thread.value.start() } else { try runThreads(1) { _ in thread.value.start() } }
    try cancels.join()
    kept.append(thread)
  }
  let end = Uptime.now() + RealTime.wedge
  for thread in kept {
    while !thread.value.isFinished {
      if Uptime.now() > end { throw Wedge.found("a thread does not finish") }
      sched_yield()
    }
    try agree(thread.value.isCancelled, true, "cancelled")
    ended.increment()
  }
  try agree(ended.value, count, "threads finished")
  if ran.value > count { throw Broken("\(ran.value) bodies ran of \(count) threads") }
  kept = []
  try watch.waitUntilAllAreFreed()
}

private struct Refusal: Error, Equatable { let number: Int }

private func leave(_ depth: Int, _ number: Int) -> Int {
  if depth == 0 { Thread.exit(returning: number) }
  return leave(depth - 1, number) + 1
}

/// Makes a thread that returns, throws or exits with a number.
private func makeThread(
  _ number: Int, _ tracker: LeakTracker, _ random: inout SeededGenerator
) -> JoinableThread<Int, any Error> {
  let way = Int.random(in: 0...2, using: &random)
  let steps = Int.random(in: 0...2000, using: &random)
  let object = tracker.makeObject()
  return JoinableThread { () throws -> Int in
    Thread.current.threadDictionary["object"] = tracker.makeObject()
    object.touch()
    dawdle(steps)
    switch way {
    case 0: return number
    case 1: throw Refusal(number: number)
    default: return leave(number % 7, number)
    }
  }
}

private func outcome(_ join: () throws -> Int?) -> Int? {
  do { return try join() } catch { return (error as? Refusal)?.number }
}

private func endAndJoin(_ random: inout SeededGenerator) throws {
  let joiners = Int.random(in: 1...6, using: &random)
  let generators = (0..<joiners).map { _ in random.split() }
  let tracker = LeakTracker()
  let watch = WeakWatch()
  let wrong = Counter(), joined = Counter(), timedOut = Counter()
  let each = 20
  try runThreads(joiners) { joiner in
    var random = generators[joiner]
    for round in 0..<each {
      let number = joiner * each + round
      let thread = makeThread(number, tracker, &random)
      watch.watch(thread.thread)
      thread.start()
      dawdle(Int.random(in: 0...2000, using: &random))
      var found: Int?
      if Bool.random(using: &random) {
        while found == nil {
          let limit = Double.random(in: 0...0.0001, using: &random)
          found = outcome { try thread.join(before: Date() + limit) }
          if found == nil { timedOut.increment() }
        }
      } else {
        found = outcome { try thread.join() }
      }
      joined.increment()
      if found != number { wrong.increment() }
    }
  }
  try agree(wrong.value, 0, "threads with another's result")
  try agree(joined.value, joiners * each, "threads joined")
  try agree(tracker.made, 2 * joiners * each, "objects made")
  try tracker.waitUntilAllAreFreed()
  try watch.waitUntilAllAreFreed()
}

private func detachAtAnyTime(_ random: inout SeededGenerator) throws {
  let tracker = LeakTracker()
  let watch = WeakWatch()
  let ran = EventCounter("threads that ran")
  let count = 40
  for _ in 0..<count {
    let steps = Int.random(in: 0...2000, using: &random)
    let exits = Bool.random(using: &random)
    let object = tracker.makeObject()
    let thread = JoinableThread { () -> Int in
      object.touch()
      dawdle(steps)
      ran.increment()
      return exits ? leave(3, steps) : steps
    }
    watch.watch(thread.thread)
    switch Int.random(in: 0...3, using: &random) {
    case 0:
      thread.detach()
      thread.start()
    case 1:
      thread.start()
      thread.detach()
    case 2:
      thread.start()
      dawdle(Int.random(in: 0...4000, using: &random))
      thread.detach()
    default:
      // Neither joins nor detaches: the last reference frees the thread.
      thread.start()
    }
  }
  try ran.wait(for: count)
  try agree(tracker.made, count, "objects made")
  try tracker.waitUntilAllAreFreed()
  try watch.waitUntilAllAreFreed()
}

private func nameAtAnyTime(_ random: inout SeededGenerator) throws {
  for round in 0..<10 {
    let steps = Int.random(in: 0...3000, using: &random)
    let isSet = Gate("a name is set")
    let thread = JoinableThread { () -> (String?, String) in
      dawdle(steps)
      isSet.pass()
      let shown = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { bytes in
        csb_thread_get_name(bytes.baseAddress!)
        return String(cString: bytes.baseAddress!)
      }
      return (Thread.current.name, shown)
    }
    let before = Bool.random(using: &random)
    if before { thread.name = "early \(round)" }
    let other = Carried(thread)
    let namer = try PlainThread {
      dawdle(steps / 2)
      other.value.name = "late \(round), and longer than the kernel's list has room for"
      isSet.open()
    }
    thread.start()
    try namer.join()
    let (name, shown) = thread.join()
    let wanted = "late \(round), and longer than the kernel's list has room for"
    try agree(name, wanted, "the name from inside")
    try agree(thread.name, wanted, "the name from outside")
    try agree(shown, ThreadName.kernelForm(of: wanted), "the name in the kernel's list")
    // The thread has ended; its number in the kernel may belong to another thread by now.
    thread.name = "gone"
    try agree(thread.name, "gone", "the name of a thread that has ended")
  }
}

private func waitForThose(_ random: inout SeededGenerator) throws {
  let count = Int.random(in: 1...12, using: &random)
  let done = (0..<count).map { _ in Unguarded(0) }
  for index in 0..<count {
    let steps = Int.random(in: 0...5000, using: &random)
    let thread = Thread {
      dawdle(steps)
      done[index].value = 1
    }
    thread.mustFinish = true
    thread.start()
  }
  // Other tests in this process may have such threads too: ours are among those that are
  // awaited.
  Termination.waitForThreads()
  for index in 0..<count { try agree(done[index].value, 1, "what thread \(index) wrote") }
}

private func startFromAny(_ random: inout SeededGenerator) throws {
  let usual = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), UInt32(getpid()))
  // If the process runs at another priority than most, the testing library's threads do not
  // have the process's priority. After the first thread with a changed priority, all new
  // threads have it.
  let first = JoinableThread {}
  first.thread.threadPriority = 0
  first.start()
  first.join()
  let wrong = Counter(), ran = Counter()
  let parents = Int.random(in: 1...4, using: &random)
  let threads = (0..<parents).map { _ in
    let children = Int.random(in: 1...6, using: &random)
    let parent = JoinableThread {
      let all = (0..<children).map { _ in
        let child = JoinableThread {
          ran.increment()
          let nice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
          if nice != usual { wrong.increment() }
        }
        child.start()
        return child
      }
      for child in all { child.join() }
      return children
    }
    parent.thread.threadPriority = Double.random(in: 0...0.5, using: &random)
    parent.start()
    return parent
  }
  var children = 0
  for thread in threads { children += thread.join() }
  try agree(ran.value, children, "children that ran")
  try agree(wrong.value, 0, "children with their parent's priority")
}
