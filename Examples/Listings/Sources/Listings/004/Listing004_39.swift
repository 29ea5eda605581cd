import SignalboxRunLoop

extension Listing {
  static let number004_39 = Listing(
    "004-39", heading: "The sample: custom sources in use",
    shows: "registering main's context",
    outcome: "the other thread can reach main's source through it",
    rows: ["W2"]
  ) { story in
    let performed = Cell(0)
    let delegate = Document004.SampleDelegate()
    let source = delegate.makeMainSource { performed.withValue { $0 += 1 } }
    let main = LoopThread { _ in source.addToCurrentRunLoop() }
    let context = delegate.main!
    story.check(context.runloop === main.loop, "the registered loop is main's")
    context.runloopSource.signalSourceAndWakeUpRunloop(context.runloop)
    main.run {}
    main.end()
    story.check(performed.value, is: 1, "and a signal by the context is performed there")
  }
}
