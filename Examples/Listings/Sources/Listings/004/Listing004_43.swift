import SignalboxRunLoop

extension Listing {
  static let number004_43 = Listing(
    "004-43", heading: "The sample: custom sources in use",
    shows: "the second thread's perform callback",
    outcome: "it runs on the second thread",
    truth: "it calls the work directly and needs no selector",
    rows: ["W2", "R3"]
  ) { story in
    let ran = Transcript()
    let threads = Cell<[UInt]>([])
    @Sendable func performSecondaryThreadRunLoopSourceTask() {
      threads.withValue { $0.append(Place.thread) }
      ran.append("the task, in \(CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()).rawValue)")
    }
    let source = Document004.SampleSource(
      "secondary", perform: performSecondaryThreadRunLoopSourceTask)
    let secondary = LoopThread { _ in source.addToCurrentRunLoop() }
    source.signalSourceAndWakeUpRunloop(secondary.loop)
    secondary.run { threads.withValue { $0.append(Place.thread) } }
    secondary.end()
    story.check(ran.lines, is: ["the task, in kCFRunLoopDefaultMode"], "within a run of its loop")
    story.check(
      threads.value.count == 2 && Set(threads.value).count == 1,
      "on the second thread, whose loop it is")
  }
}
