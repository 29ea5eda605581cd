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
    let facts = onLoopThread { loop in
      let sources = Cell<[CFRunLoopSource]>([])
      let runs = Cell(0)
      let observer = CFRunLoopObserverCreateWithHandler(
        kCFAllocatorDefault, CFRunLoopActivity.entry.rawValue, true, 0
      ) { _, _ in
        told.append("run in \(CFRunLoopCopyCurrentMode(loop).rawValue)")
        runs.withValue { $0 += 1 }
        // The third run is left without a source, so that there is no fourth.
        if runs.value == 3 { sources.value.forEach(CFRunLoopSourceInvalidate) }
      }
      CFRunLoopAddObserver(loop, observer, .defaultMode)
      for (name, isMarked) in [("a", true), ("b", false), ("c", true)] {
        let source = makeCustomSource {
          told.append("perform \(name)")
          CFRunLoopStop(loop)
        }
        CFRunLoopAddSource(loop, source, .defaultMode)
        if isMarked { CFRunLoopSourceSignal(source) }
        sources.withValue { $0.append(source) }
      }
      RunLoop.current.run(until: .distantFuture)
      told.append("there is no source left")

      // One that nobody marks: nothing but the date ends it.
      CFRunLoopAddSource(loop, makeCustomSource { told.append("perform") }, .defaultMode)
      let date = Date(timeIntervalSinceNow: 0.05)
      RunLoop.current.run(until: date)
      return Date() >= date
    }
    story.tell(told)
    let run = "run in kCFRunLoopDefaultMode"
    story.check(
      Array(told.lines.prefix(6)),
      is: [run, "perform a", run, "perform c", run, "there is no source left"],
      "the marked ones, one in each run: each ends a run, and another begins")
    story.check(facts, "with a source that is not marked, until the date has passed")
    story.check(Set(told.lines.dropFirst(6)), is: [run], "and nothing is performed")
  }
}
