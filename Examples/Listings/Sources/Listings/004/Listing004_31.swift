import SignalboxRunLoop

extension Listing {
  static let number004_31 = Listing(
    "004-31", heading: "Running the source's task",
    shows: "how the framework gets from running a loop to a source's perform callback",
    outcome: "run until a date repeats runs in the default mode; only marked sources perform",
    truth: "CFRunLoopStop ends one of these runs and not the repetition",
    rows: ["R3", "R8", "R9"]
  ) { story in
    let told = Transcript()
    onLoopThread { loop in
      let observer = CFRunLoopObserverCreateWithHandler(
        kCFAllocatorDefault, CFRunLoopActivity.entry.rawValue, true, 0
      ) { _, _ in told.append("run in \(CFRunLoopCopyCurrentMode(loop).rawValue)") }
      CFRunLoopAddObserver(loop, observer, .defaultMode)
      for (name, isMarked) in [("a", true), ("b", false), ("c", true)] {
        let source = makeCustomSource {
          told.append("perform \(name)")
          CFRunLoopStop(loop)
        }
        CFRunLoopAddSource(loop, source, .defaultMode)
        if isMarked { CFRunLoopSourceSignal(source) }
      }
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
      told.append("the date has passed")
    }
    story.tell(told)
    let performs = told.lines.filter { $0.hasPrefix("perform") }
    story.check(performs, is: ["perform a", "perform c"], "the marked ones, one in each run")
    let runs = told.lines.filter { $0 == "run in kCFRunLoopDefaultMode" }
    story.check(runs.count >= 3, "each ends a run, and another begins until the date has passed")
    story.check(told.lines.last, is: "the date has passed", "then it is over")
  }
}
