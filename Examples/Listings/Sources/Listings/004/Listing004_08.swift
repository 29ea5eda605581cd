import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_08 = Listing(
    "004-08", heading: "Configuring run loop observers",
    shows: "a second thread adds an observer of all activities and runs its loop ten times",
    outcome: "each activity is told; without the timer each run returns at once, and tells nothing",
    truth:
      "the context holds the observer's owner: the address of a local is gone with its function",
    rows: ["R7", "R8", "R9", "T1"]
  ) { story in
    for hasTimer in [true, false] {
      let told = Transcript()
      let runs = onLoopThread { _ in Document004.observeTenRuns(hasTimer: hasTimer, told) }
      story.check(runs, is: 10, "the loop is run ten times")
      guard hasTimer else {
        story.check(told.lines, is: [], "without a timer there is nothing to tell")
        continue
      }
      for line in told.lines.prefix(12) { story.tell("| \(line)") }
      story.check(
        told.lines.count { $0 == "entered" }, is: told.lines.count { $0 == "left" },
        "each run that was entered is left")
      story.check(told.lines.count { $0 == "entered" } >= 10, "each of the ten runs is told of")
      story.check(
        Set(told.lines),
        is: [
          "entered", "before timers", "before sources", "before sleeping", "after sleeping", "left",
        ], "all six activities come by")
      story.check(
        told.lines.prefix(3), is: ["entered", "before timers", "before sources"],
        "beginning with the entry")
    }
  }
}

extension Document004 {
  /// - Returns: how often the loop was run.
  static func observeTenRuns(hasTimer: Bool, _ told: Transcript) -> Int {
    let runloop = RunLoop.current
    let observer = CFRunLoopObserverCreateWithHandler(
      kCFAllocatorDefault, CFRunLoopActivity.allActivities.rawValue, true, 0
    ) { _, activity in
      switch activity {
      case .entry: told.append("entered")
      case .beforeTimers: told.append("before timers")
      case .beforeSources: told.append("before sources")
      case .beforeWaiting: told.append("before sleeping")
      case .afterWaiting: told.append("after sleeping")
      case .exit: told.append("left")
      default: told.append("\(activity)")
      }
    }
    CFRunLoopAddObserver(runloop.getCFRunLoop(), observer, kCFRunLoopDefaultMode)
    if hasTimer { _ = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { _ in } }
    var loopCount = 10
    repeat {
      runloop.run(until: Date(timeIntervalSinceNow: 0.01))
      loopCount -= 1
    } while loopCount > 0
    return 10 - loopCount
  }
}
