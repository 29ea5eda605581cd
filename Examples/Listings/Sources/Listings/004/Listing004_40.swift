import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_40 = Listing(
    "004-40", heading: "The sample: custom sources in use",
    shows: "the second thread's schedule callback registers its context on main and waits for it",
    outcome: "it runs when the second source is added, and the exchange begins there",
    truth:
      "if main waits for that thread at the same time, neither continues: this ends with a "
      + "report",
    rows: ["W2", "R3", "T5"],
    fault: {
      let delegate = Document004.SampleDelegate()
      let source = delegate.makeSecondarySource(waits: true)
      whileMainRunsItsLoop {
        try? Thread.performOnMainThread(waitUntilDone: false) {
          let secondaryThread = JoinableThread { source.addToCurrentRunLoop() }
          secondaryThread.start()
          secondaryThread.join()
        }
        DispatchSemaphore(value: 0).wait()
      }
    }
  ) { story in
    let order = Transcript()
    let isDone = DispatchSemaphore(value: 0)
    let delegate = Document004.SampleDelegate()
    let mainSource = delegate.makeMainSource()
    let source = delegate.makeSecondarySource(waits: true) { buffer in
      order.append("commanded by \(buffer.map(\.runloopSource.name))")
      isDone.signal()
    }
    try whileMainRunsItsLoop {
      try Thread.performOnMainThread(waitUntilDone: true) { mainSource.addToCurrentRunLoop() }
      let secondary = LoopThread { loop in
        order.append(delegate.secondary == nil ? "not registered" : "registered")
        source.addToCurrentRunLoop()
        order.append(delegate.secondary?.runloop === loop ? "registered" : "not registered")
      }
      isDone.wait()
      secondary.end()
    }
    CFRunLoopSourceInvalidate(mainSource.source)
    story.tell(order)
    story.check(
      order.lines, is: ["not registered", "registered", "commanded by [\"main\"]"],
      "it is registered when the source has been added, and then main's command comes")

    let report = try story.runFault()
    story.check(report.wasTrapped, "the fault: main waits for the thread, which waits for main")
    for line in report.message.split(separator: "\n").prefix(3) { story.tell("| \(line)") }
    story.check(report.message.contains("deadlock"), "the report says what it is")

    // The repair: the call-back leaves it to main, and does not wait.
    let patient = Document004.SampleDelegate()
    let other = patient.makeSecondarySource(waits: false)
    let wasRegistered = Cell<[Bool]>([])
    try whileMainRunsItsLoop {
      try Thread.performOnMainThread(waitUntilDone: true) {
        let secondaryThread = JoinableThread { other.addToCurrentRunLoop() }
        secondaryThread.start()
        secondaryThread.join()
        wasRegistered.withValue { $0.append(patient.secondary != nil) }
      }
      try Thread.performOnMainThread(waitUntilDone: true) {
        wasRegistered.withValue { $0.append(patient.secondary != nil) }
      }
    }
    story.check(
      wasRegistered.value, is: [false, true],
      "the repair: without the wait it is registered when main comes to it")
  }
}

extension Document004.SampleDelegate {
  /// A source whose schedule call-back registers it on main, which then commands it.
  func makeSecondarySource(
    waits: Bool,
    perform: @escaping @Sendable ([Document004.SampleContext]) -> Void = { _ in }
  ) -> Document004.SampleSource {
    let made = Document004.WeakSource()
    let source = Document004.SampleSource(
      "secondary",
      schedule: { loop, _ in
        guard let source = made.source else { return }
        let context = Document004.SampleContext(runloop: loop, runloopSource: source)
        // Where main refuses, nothing is registered.
        try? Thread.performOnMainThread(waitUntilDone: waits) {
          self.registerSecondaryThreadRunLoopSource(context)
          Document004.sendCommandToSecondaryThread(self)
        }
      },
      perform: {
        let commands = made.source?.commandBuffer.withValue { buffer in
          defer { buffer = [] }
          return buffer
        }
        perform(commands ?? [])
      })
    made.source = source
    return source
  }
}
