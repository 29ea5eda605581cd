import SignalboxRunLoop

extension Listing {
  static let number004_21 = Listing(
    "004-21", heading: "Creating a run loop source",
    shows: "the source's context: version, info and eight callbacks",
    outcome: "version must be 0",
    truth: "another version ends the process with a report: 1 has a context of its own",
    rows: ["R3"],
    fault: {
      var context = CFRunLoopSourceContext()
      context.version = 1
      _ = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    }
  ) { story in
    let called = Transcript()
    onLoopThread { loop in
      func make() -> CFRunLoopSource {
        var context = CFRunLoopSourceContext(
          version: 0, info: UnsafeMutableRawPointer(bitPattern: 16),
          retain: { info in
            called.append("retain")
            return info
          },
          release: { _ in called.append("release") },
          copyDescription: { _ in "the source's owner" },
          equal: { $0 == $1 },
          hash: { CFHashCode(bitPattern: $0) },
          schedule: { _, _, mode in called.append("schedule in \(mode!.rawValue)") },
          cancel: { _, _, mode in called.append("cancel in \(mode!.rawValue)") },
          perform: { _ in called.append("perform") })
        return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
      }
      let source = make()
      CFRunLoopAddSource(loop, source, CFRunLoopMode("own"))
      CFRunLoopSourceSignal(source)
      CFRunLoopRunInMode(CFRunLoopMode("own"), 0, false)
      if "\(source)".contains("the source's owner") { called.append("described") }
      CFRunLoopSourceInvalidate(source)
      let (one, other) = (make(), make())
      if one == other, one.hashValue == other.hashValue { called.append("equal") }
    }
    story.tell(called)
    let expected = ["retain", "schedule in own", "perform", "described", "cancel in own"]
    story.check(Array(called.lines.prefix(5)), is: expected, "each call-back at its time")
    story.check(called.lines.contains("equal"), "equal and hash make two sources one")
    story.check(
      called.lines.count { $0 == "release" }, is: 3, "what was retained three times is released so")
    let report = try story.runFault()
    story.check(report.wasTrapped, "a context of version 1 is refused")
  }
}
