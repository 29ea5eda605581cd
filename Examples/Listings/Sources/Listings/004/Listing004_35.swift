import SignalboxRunLoop

extension Listing {
  static let number004_35 = Listing(
    "004-35", heading: "The sample: custom sources in use",
    shows: "adding the source to the current loop in the default mode",
    outcome: "the schedule callback runs",
    rows: ["W2", "R3", "R2"]
  ) { story in
    let scheduled = Transcript()
    onLoopThread { loop in
      let source = Document004.SampleSource(
        "main",
        schedule: { found, mode in
          scheduled.append("\(found === loop ? "this loop" : "another"), \(mode.rawValue)")
        })
      scheduled.append("before")
      source.addToCurrentRunLoop()
      scheduled.append("after")
    }
    story.check(
      scheduled.lines, is: ["before", "this loop, kCFRunLoopDefaultMode", "after"],
      "at once, with the loop and the default mode")
  }
}
