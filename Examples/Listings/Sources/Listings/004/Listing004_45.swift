import SignalboxRunLoop

extension Listing {
  static let number004_45 = Listing(
    "004-45", heading: "The sample: custom sources in use",
    shows: "main's perform callback",
    outcome: "it runs on main",
    truth: "it calls the work directly and needs no selector",
    rows: ["W2", "R3"]
  ) { story in
    let thread = Cell<UInt>(0), own = Cell<UInt>(0)
    let delegate = Document004.SampleDelegate()
    let source = delegate.makeMainSource { thread.value = Place.thread }
    let main = LoopThread { _ in
      own.value = Place.thread
      source.addToCurrentRunLoop()
    }
    // As the second thread does when it has computed.
    delegate.main!.runloopSource.signalSourceAndWakeUpRunloop(delegate.main!.runloop)
    main.run {}
    main.end()
    story.check(thread.value, is: own.value, "on the thread that plays main")
  }
}
