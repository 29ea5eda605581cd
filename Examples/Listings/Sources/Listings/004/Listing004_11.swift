import SignalboxRunLoop

extension Listing {
  static let number004_11 = Listing(
    "004-11", heading: "Configuring run loop observers",
    shows: "creating an observer",
    outcome: "it repeats or fires once; of several for one activity, order 0 goes first",
    truth: "the lowest order goes first, negative ones before 0",
    rows: ["R7"]
  ) { story in
    let told = Transcript()
    onLoopThread { loop in
      CFRunLoopAddSource(loop, makeCustomSource(), .defaultMode)
      func add(_ name: String, repeats: Bool, order: CFIndex) -> CFRunLoopObserver {
        let observer = CFRunLoopObserverCreate(
          kCFAllocatorDefault, CFRunLoopActivity.entry.rawValue, repeats, order,
          { _, _, _ in told.append(name) }, nil)!
        CFRunLoopAddObserver(loop, observer, .defaultMode)
        return observer
      }
      _ = add("order 1", repeats: true, order: 1)
      let once = add("order 0, once", repeats: false, order: 0)
      _ = add("order -1", repeats: true, order: -1)
      for _ in 0..<2 { CFRunLoopRunInMode(.defaultMode, 0, false) }
      if !CFRunLoopObserverIsValid(once) { told.append("the one that fires once is over") }
    }
    story.tell(told)
    story.check(
      told.lines,
      is: [
        "order -1", "order 0, once", "order 1", "order -1", "order 1",
        "the one that fires once is over",
      ], "by their order in each run, one of them in the first run only")
  }
}
