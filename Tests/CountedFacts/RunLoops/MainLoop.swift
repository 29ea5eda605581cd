// MainLoop — the main run loop drains the main queue. The scenarios need the process's first
// thread, which belongs to the library in a test process.

import Glibc
import SignalboxDispatch
import SignalboxRunLoop

package enum MainLoopScenario: String, CountedScenario {
  case mainLoopServesTheMainQueue = "main-loop-serves-the-main-queue"
  case mainLoopHoldsTheMainQueueBackInOtherModes =
    "main-loop-holds-the-main-queue-back-in-other-modes"
  case mainLoopServesTheMainQueueInNestedRuns = "main-loop-serves-the-main-queue-in-nested-runs"
  case mainLoopWithinAMainQueueItemLeavesTheQueueAlone =
    "main-loop-within-a-main-queue-item-leaves-the-queue-alone"
  case mainLoopWithinAMainQueueItemEndsWithItsLastInput =
    "main-loop-within-a-main-queue-item-ends-with-its-last-input"
  case mainLoopWithinAMainQueueItemServesItOnRequest =
    "main-loop-within-a-main-queue-item-serves-it-on-request"
  case mainLoopServesTheToolchainsMainQueue = "main-loop-serves-the-toolchains-main-queue"
  case mainLoopRunsPastDeadlinesInOrder = "main-loop-runs-past-deadlines-in-order"
  case mainLoopPerformsForOtherThreads = "main-loop-performs-for-other-threads"
  case wakeUpsOfAnIdleMainLoop = "wake-ups-of-an-idle-main-loop"
}

extension MainLoopScenario: Scenario {
  func run() {
    switch self {
    case .mainLoopServesTheMainQueue:
      let notes = FirstThreadNotes()
      for step in 0..<50 { DispatchQueue.main.async { notes.add("early \(step)") } }
      DispatchQueue.global().async {
        for step in 0..<50 {
          if step % 10 == 0 { waitUntilMainLoopSleeps() }
          DispatchQueue.main.async { notes.add("late \(step)") }
        }
        DispatchQueue.main.async {
          notes.add("sync from main is refused elsewhere")
          notes.isOver = true
        }
      }
      while !notes.isOver { report("handled", runMain(.default)) }
      let expected =
        (0..<50).map { "early \($0)" } + (0..<50).map { "late \($0)" }
        + ["sync from main is refused elsewhere"]
      report("inOrder", notes.all == expected)
      report("strays", notes.strays)
      // An item that another item submits waits for that item's end.
      notes.all = []
      DispatchQueue.main.async {
        DispatchQueue.main.async { notes.add("inner") }
        notes.add("outer")
      }
      while notes.all.count < 2 { runMain(.default) }
      report("outerFirst", notes.all == ["outer", "inner"])
      let answer = Tally()
      startThread {
        answer.add(DispatchQueue.main.sync { 41 } + 1)
        // A stop that comes between two runs would be lost.
        DispatchQueue.main.async {}
      }
      while answer.count == 0 { runMain(.default) }
      report("sync", answer.count)
    case .mainLoopHoldsTheMainQueueBackInOtherModes:
      let notes = FirstThreadNotes()
      let other = RunLoop.Mode("other")
      report("nothingThere", CFRunLoopRunInMode(CFRunLoopMode(other), 60, false) == .finished)
      let keeper = makeKeeper(in: other)
      DispatchQueue.main.async { notes.add("item") }
      for _ in 0..<3 { CFRunLoopRunInMode(CFRunLoopMode(other), 0.01, true) }
      report("heldBack", notes.all.isEmpty)
      // Items that arrive while the loop sleeps in the other mode are held back
      // too.
      startThread {
        waitUntilMainLoopSleeps()
        DispatchQueue.main.async { notes.add("second") }
        sleepInKernel(milliseconds: 20)
        CFRunLoopStop(CFRunLoopGetMain())
      }
      report("stopped", CFRunLoopRunInMode(CFRunLoopMode(other), 60, false) == .stopped)
      report("heldBackAsleep", notes.all.isEmpty)
      while notes.all.count < 2 { runMain(.eventTracking) }
      report("letThrough", notes.all == ["item", "second"])
      // A mode that joins the common modes drains the queue from then on.
      DispatchQueue.main.async { notes.add("third") }
      CFRunLoopAddCommonMode(CFRunLoopGetMain(), CFRunLoopMode(other))
      while notes.all.count < 3 { CFRunLoopRunInMode(CFRunLoopMode(other), 60, true) }
      report("joined", notes.all.last == "third")
      CFRunLoopSourceInvalidate(keeper)
    case .mainLoopServesTheMainQueueInNestedRuns:
      let notes = FirstThreadNotes()
      let nest: @Sendable (String) -> Void = { name in
        DispatchQueue.main.async { notes.add("within \(name)") }
        notes.add("\(name) begins")
        while notes.all.last != "within \(name)" { runMain(.modalPanel) }
        notes.add("\(name) ends")
      }
      var context = CFRunLoopSourceContext()
      context.perform = { _ in nest("source") }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      CFRunLoopAddSource(CFRunLoopGetMain(), source, .defaultMode)
      CFRunLoopSourceSignal(source)
      runMain(.default)
      CFRunLoopSourceInvalidate(source)
      let observer = CFRunLoopObserverCreateWithHandler(
        kCFAllocatorDefault, CFRunLoopActivity.beforeTimers.rawValue, false, 0
      ) { _, _ in nest("observer") }
      CFRunLoopAddObserver(CFRunLoopGetMain(), observer, .defaultMode)
      RunLoop.main.run(mode: .default, before: Date())
      RunLoop.main.perform { nest("block") }
      RunLoop.main.run(mode: .default, before: Date())
      RunLoop.current.perform(afterDelay: 0) { nest("delay") }
      RunLoop.main.run(mode: .default, before: Date())
      try! Thread.performOnMainThread(waitUntilDone: false) { nest("perform") }
      RunLoop.main.run(mode: .default, before: Date())
      let timer = Timer(fire: .distantPast, interval: 0, repeats: false) { _ in nest("timer") }
      RunLoop.main.add(timer, forMode: .default)
      RunLoop.main.run(mode: .default, before: Date())
      let names = ["source", "observer", "block", "delay", "perform", "timer"]
      report(
        "nested", notes.all == names.flatMap { ["\($0) begins", "within \($0)", "\($0) ends"] })
      report("notes", notes.all.joined(separator: ","))
    case .mainLoopWithinAMainQueueItemLeavesTheQueueAlone:
      let notes = FirstThreadNotes()
      DispatchQueue.main.async {
        DispatchQueue.main.async { notes.add("second") }
        // With nothing else to wait for, the run ends at once.
        report("result", CFRunLoopRunInMode(.defaultMode, 60, false).rawValue)
        let keeper = makeKeeper(in: .default)
        startThread {
          waitUntilMainLoopSleeps()
          DispatchQueue.main.async { notes.add("third") }
          CFRunLoopStop(CFRunLoopGetMain())
        }
        report("stopped", CFRunLoopRunInMode(.defaultMode, 60, false) == .stopped)
        CFRunLoopSourceInvalidate(keeper)
        notes.add("first")
      }
      while notes.all.count < 3 { runMain(.default) }
      report("order", notes.all.joined(separator: ","))
      report("strays", notes.strays)
    case .mainLoopWithinAMainQueueItemEndsWithItsLastInput:
      let ended = Tally()
      DispatchQueue.main.async {
        let invalidated = makeKeeper(in: .default)
        reportRun("invalidated") { CFRunLoopSourceInvalidate(invalidated) }
        let removed = makeKeeper(in: .default)
        reportRun("removed") { CFRunLoopRemoveSource(CFRunLoopGetMain(), removed, .defaultMode) }
        let timer = CFRunLoopTimerCreateWithHandler(
          kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 3600, 0, 0, 0
        ) { _ in }!
        CFRunLoopAddTimer(CFRunLoopGetMain(), timer, .defaultMode)
        reportRun("timer") { CFRunLoopTimerInvalidate(timer) }
        ended.increment()
      }
      while ended.count == 0 { runMain(.default) }
    case .mainLoopWithinAMainQueueItemServesItOnRequest:
      let notes = FirstThreadNotes()
      DispatchQueue.main.async {
        notes.add("outer begins")
        DispatchQueue.main.async {
          notes.add("middle begins")
          DispatchQueue.main.async { notes.add("inner") }
          DispatchMainQueueHost.servingWithinItem {
            while notes.all.last != "inner" { runMain(.default) }
          }
          notes.add("middle ends")
        }
        for step in 0..<3 { DispatchQueue.main.async { notes.add("more \(step)") } }
        DispatchMainQueueHost.servingWithinItem {
          startThread {
            waitUntilMainLoopSleeps()
            DispatchQueue.main.async { notes.add("from a thread") }
          }
          while notes.all.last != "from a thread" { runMain(.modalPanel) }
          // This item runs after the current item has ended.
          DispatchQueue.main.async { notes.add("last") }
        }
        notes.add("outer ends")
        dispatchPrecondition(condition: .onQueue(.main))
      }
      DispatchQueue.main.async { notes.add("beside") }
      while notes.all.last != "last" { runMain(.default) }
      report("notes", notes.all.joined(separator: ","))
      report("strays", notes.strays)
    case .mainLoopServesTheToolchainsMainQueue:
      for _ in 0..<10 { toolchain.asyncOnMain(countOnFirstThread) }
      // With passes that do not sleep …
      while onFirstThread.count < 10 { RunLoop.main.run(mode: .default, before: .distantPast) }
      // … and with a loop that sleeps.
      startThread {
        for _ in 0..<10 {
          waitUntilMainLoopSleeps()
          toolchain.asyncOnMain(countOnFirstThread)
        }
      }
      while onFirstThread.count < 20 { runMain(.default) }
      report("items", onFirstThread.count)
      // In another mode the work waits.
      let other = RunLoop.Mode("other")
      let keeper = makeKeeper(in: other)
      toolchain.asyncOnMain(countOnFirstThread)
      CFRunLoopRunInMode(CFRunLoopMode(other), 0.01, false)
      report("heldBack", onFirstThread.count)
      CFRunLoopSourceInvalidate(keeper)
      while onFirstThread.count < 21 { runMain(.default) }
      // A loop nested in an item of our queue drains the toolchain's queue; a loop nested in one
      // of its own items behaves as the toolchain decides.
      DispatchQueue.main.async {
        toolchain.asyncOnMain(countOnFirstThread)
        let keeper = makeKeeper(in: .default)
        while onFirstThread.count < 22 { runMain(.default) }
        CFRunLoopSourceInvalidate(keeper)
        report("nested", onFirstThread.count)
      }
      while onFirstThread.count < 22 { runMain(.default) }
      toolchain.asyncOnMain { _ in
        // What the item submits to its own queue waits for the item's end.
        toolchain.asyncOnMain(countOnFirstThread)
        let keeper = makeKeeper(in: .default)
        DispatchQueue.main.async { onFirstThread.increment() }
        while onFirstThread.count < 23 { runMain(.default) }
        CFRunLoopSourceInvalidate(keeper)
      }
      while onFirstThread.count < 24 { runMain(.default) }
      report("all", onFirstThread.count)
      Task { @MainActor in onFirstThread.increment() }
      while onFirstThread.count < 25 { runMain(.default) }
      report("strays", strangers.count)
    case .mainLoopRunsPastDeadlinesInOrder:
      let notes = FirstThreadNotes()
      for _ in 0..<1_000 {
        notes.all = []
        DispatchQueue.main.asyncAfter(deadline: .now()) { notes.add("first") }
        DispatchQueue.main.asyncAfter(
          deadline: .now() - 1, execute: DispatchWorkItem { notes.add("second") })
        DispatchQueue.main.async { notes.add("third") }
        while notes.all.count < 3 { RunLoop.main.run(mode: .default, before: .distantPast) }
        if notes.all != ["first", "second", "third"] { break }
      }
      report("notes", notes.all.joined(separator: ","))
      report("strays", notes.strays)
    case .mainLoopPerformsForOtherThreads:
      let notes = FirstThreadNotes()
      let keeper = makeKeeper(in: .default)
      // One run, within which the thread starts: its calls fail if the loop does not run for a
      // second, as may happen between two runs.
      RunLoop.main.perform {
        startThread {
          for step in 0..<3 {
            try! Thread.performOnMainThread(waitUntilDone: true) { notes.add("waited \(step)") }
            try! Thread.performOnMainThread(waitUntilDone: false) { notes.add("left \(step)") }
          }
          try! Thread.performOnMainThread(waitUntilDone: true) {
            notes.isOver = true
            CFRunLoopStop(CFRunLoopGetMain())
          }
        }
      }
      while !notes.isOver { CFRunLoopRunInMode(.defaultMode, 60, false) }
      CFRunLoopSourceInvalidate(keeper)
      report(
        "inOrder", notes.all == (0..<3).flatMap { ["waited \($0)", "left \($0)"] })
      report("strays", notes.strays)
      // A call on the main thread itself runs at once if the caller waits for it, or else after
      // the queued work.
      notes.all = []
      try! Thread.performOnMainThread(waitUntilDone: false) { notes.add("queued") }
      try! Thread.performOnMainThread(waitUntilDone: true) { notes.add("at once") }
      report("beforeTheRun", notes.all == ["at once"])
      runMain(.default)
      report("afterTheRun", notes.all == ["at once", "queued"])
    case .wakeUpsOfAnIdleMainLoop:
      let asleep = Tally()
      startThread {
        waitUntilMainLoopSleeps()
        DispatchQueue.main.sync {}
        waitUntilMainLoopSleeps()
        // The loop says that it sleeps a moment before its thread does.
        var before = -1
        while switchesOfFirstThread() != before || !firstThreadSleeps() {
          before = switchesOfFirstThread()
          sleepInKernel(seconds: 1)
        }
        sleepInKernel(seconds: integerArgument(0, default: 5))
        asleep.add(switchesOfFirstThread() - before)
        DispatchQueue.main.async {
          report("wakeUps", asleep.count)
          exit(0)
        }
      }
      RunLoop.main.run()
    }
  }
}

/// Runs the main loop once, until it has handled something.
@discardableResult
func runMain(_ mode: RunLoop.Mode) -> Bool {
  RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: 60))
}

func waitUntilMainLoopSleeps() {
  while !CFRunLoopIsWaiting(CFRunLoopGetMain()) { sleepInKernel(milliseconds: 1) }
}

private func makeKeeper(in mode: RunLoop.Mode) -> CFRunLoopSource {
  var context = CFRunLoopSourceContext()
  let keeper = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
  CFRunLoopAddSource(CFRunLoopGetMain(), keeper, CFRunLoopMode(mode))
  return keeper
}

/// Runs the main loop, and reports how the run ends after another thread has removed what it waits
/// for.
private func reportRun(_ name: String, _ remove: @escaping @Sendable () -> Void) {
  startThread {
    waitUntilMainLoopSleeps()
    remove()
  }
  report(name, CFRunLoopRunInMode(.defaultMode, eventTimeout / 1e3, false).rawValue)
}

private func switchesOfFirstThread() -> Int {
  let status = contents(of: "/proc/self/task/\(getpid())/status") ?? ""
  return status.split(separator: "\n").reduce(0) { sum, line in
    guard line.contains("ctxt_switches:") else { return sum }
    return sum + (Int(line.split(whereSeparator: { $0 == "\t" || $0 == " " })[1]) ?? 0)
  }
}

func firstThreadSleeps() -> Bool {
  contents(of: "/proc/self/task/\(getpid())/status")?.contains("\nState:\tS") ?? false
}

private let toolchain = ToolchainDispatch()
private let onFirstThread = Tally()
private let strangers = Tally()

private func countOnFirstThread(_ context: UnsafeMutableRawPointer?) {
  if ownThreadNumber() != Int(getpid()) { strangers.increment() }
  onFirstThread.increment()
}

/// Records what ran on the first thread, and counts what ran off it.
private final class FirstThreadNotes: @unchecked Sendable {
  // SAFETY: used on the first thread only; `add` checks that.
  var all: [String] = []
  var isOver = false
  private(set) var strays = 0

  func add(_ note: String) {
    if ownThreadNumber() != Int(getpid()) { strays += 1 }
    all.append(note)
  }
}
