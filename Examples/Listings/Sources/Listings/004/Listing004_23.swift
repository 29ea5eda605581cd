import SignalboxRunLoop

extension Listing {
  static let number004_23 = Listing(
    "004-23", heading: "Adding the source to a run loop",
    shows: "what the framework does when a source is added",
    outcome: "the schedule callback runs with loop and mode",
    rows: ["R3"]
  ) { story in
    let scheduled = Transcript()
    let isSame = onLoopThread { loop in
      let isSame = Cell(true)
      var context = CFRunLoopSourceContext()
      context.schedule = { _, found, mode in
        if found !== loop { isSame.value = false }
        scheduled.append(mode!.rawValue)
      }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      for _ in 0..<2 { CFRunLoopAddSource(loop, source, CFRunLoopMode("own")) }
      scheduled.append("then to the common modes")
      CFRunLoopAddSource(loop, source, .commonModes)
      CFRunLoopSourceInvalidate(source)
      return isSame.value
    }
    story.tell(scheduled)
    story.check(isSame, "it is given the loop that the source was added to")
    story.check(
      Array(scheduled.lines.prefix(2)), is: ["own", "then to the common modes"],
      "it runs within the call that adds the source, and once for a mode")
    story.check(scheduled.lines.count, is: 5, "for the common modes, once for each of the three")
  }
}
