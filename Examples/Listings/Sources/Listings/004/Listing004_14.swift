import SignalboxRunLoop

extension Listing {
  static let number004_14 = Listing(
    "004-14", heading: "Run loops",
    shows: "the current loop by its two names",
    outcome: "both names mean the same loop",
    rows: ["R1"]
  ) { story in
    let facts = onLoopThread { _ in
      let runloop = RunLoop.current
      let cfRunloop = CFRunLoopGetCurrent()!
      return [
        runloop.getCFRunLoop() === cfRunloop, RunLoop.of(cfRunloop) === runloop,
        RunLoop.current === runloop, cfRunloop === CFRunLoopGetMain(),
      ]
    }
    story.check(facts[0] && facts[1], "each converts to the other")
    story.check(facts[2], "the thread's loop is made on first asking, and once")
    story.check(!facts[3], "another thread's loop is not the main one")
    story.check(RunLoop.main.getCFRunLoop() === CFRunLoopGetMain(), "the main loop has both, too")
  }
}
