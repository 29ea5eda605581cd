import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_42 = Listing(
    "004-42", heading: "The sample: custom sources in use",
    shows: "signal the source and wake its loop",
    outcome: "the perform callback runs, on the loop's thread",
    rows: ["W2", "R3"]
  ) { story in
    let done = DispatchSemaphore(value: 0)
    let thread = Cell<UInt>(0)
    let source = Document004.SampleSource(
      "secondary",
      perform: {
        thread.value = Place.thread
        done.signal()
      })
    let secondary = LoopThread { _ in source.addToCurrentRunLoop() }
    let own = Cell<UInt>(0)
    secondary.run { own.value = Place.thread }
    for _ in 0..<3 {
      source.signalSourceAndWakeUpRunloop(secondary.loop)
      done.wait()
    }
    secondary.end()
    story.check(thread.value, is: own.value, "each time, on the thread whose loop has the source")
    story.check(thread.value != Place.thread, "and not on the one that signalled")
  }
}
