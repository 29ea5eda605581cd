import SignalboxRunLoop

extension Listing {
  static let number004_15 = Listing(
    "004-15", heading: "Configuring timer sources",
    shows: "a timer made and added by the C names, repeating, then the loop runs for ever",
    outcome: "its fire date lies in the past, so that it fires at once, and then at its interval",
    truth: "for ever is until it is stopped; the context's pointer must be retained",
    rows: ["R6", "R9"]
  ) { story in
    let printed = Transcript()
    let counts = Cell((retains: 0, releases: 0))
    onLoopThread { loop in
      var context = CFRunLoopTimerContext(
        version: 0, info: UnsafeMutableRawPointer(bitPattern: 16),
        retain: { info in
          counts.withValue { $0.retains += 1 }
          return info
        }, release: { _ in counts.withValue { $0.releases += 1 } }, copyDescription: nil)
      let cfRunloopTimer = CFRunLoopTimerCreate(
        kCFAllocatorDefault, 1, 0.01, 0, 0,
        { timer, info in
          printed.append("Fire timer... \(UInt(bitPattern: info))")
          if printed.lines.count == 3 { CFRunLoopStop(CFRunLoopGetCurrent()) }
        }, &context)
      CFRunLoopAddTimer(loop, cfRunloopTimer, kCFRunLoopDefaultMode)
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
      printed.append("after one pass without a sleep")
      CFRunLoopRun()
      CFRunLoopTimerInvalidate(cfRunloopTimer)
    }
    story.tell(printed)
    story.check(
      printed.lines,
      is: ["Fire timer... 16", "after one pass without a sleep", "Fire timer... 16"],
      "at once, then at its interval, until the loop is stopped")
    story.check(counts.value.retains, is: 1, "the context is retained")
    story.check(counts.value.releases, is: 1, "and released, once each")
  }
}
