import SignalboxRunLoop

extension Listing {
  static let number004_12 = Listing(
    "004-12", heading: "Configuring run loop observers",
    shows: "adding an observer to a loop in a mode",
    outcome: "one loop only, several of its modes",
    rows: ["R7", "R2"]
  ) { story in
    let told = Transcript()
    let facts = onLoopThread { loop in
      let own = CFRunLoopMode("own")
      let observer = CFRunLoopObserverCreateWithHandler(
        kCFAllocatorDefault, CFRunLoopActivity.entry.rawValue, true, 0
      ) { _, _ in told.append(CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()).rawValue) }!
      for mode in [CFRunLoopMode.defaultMode, own] {
        CFRunLoopAddSource(loop, makeCustomSource(), mode)
        CFRunLoopAddObserver(loop, observer, mode)
        CFRunLoopRunInMode(mode, 0, false)
      }
      let second = LoopThread()
      CFRunLoopAddObserver(second.loop, observer, .defaultMode)
      let isInSecond = CFRunLoopContainsObserver(second.loop, observer, .defaultMode)
      second.end()
      return [CFRunLoopContainsObserver(loop, observer, own), isInSecond]
    }
    story.tell(told)
    story.check(told.lines, is: ["kCFRunLoopDefaultMode", "own"], "told in both modes")
    story.check(facts, is: [true, false], "it is in the one loop, and no other takes it")
  }
}
