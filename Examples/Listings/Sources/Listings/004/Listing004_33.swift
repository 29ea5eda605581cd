import SignalboxRunLoop

extension Listing {
  static let number004_33 = Listing(
    "004-33", heading: "The sample: custom sources in use",
    shows: "main makes its source object and adds it to the current loop",
    outcome: "the source is in the loop of the thread that added it",
    rows: ["W2", "R3"]
  ) { story in
    let facts = onLoopThread { loop in
      let mainThreadRunLoopSource = Document004.SampleSource("main")
      mainThreadRunLoopSource.addToCurrentRunLoop()
      let isIn = CFRunLoopContainsSource(loop, mainThreadRunLoopSource.source, .defaultMode)
      let other = LoopThread()
      let isElsewhere = CFRunLoopContainsSource(
        other.loop, mainThreadRunLoopSource.source, .defaultMode)
      other.end()
      return [isIn, isElsewhere]
    }
    story.check(facts, is: [true, false], "in the current loop, and in no other")
  }
}

extension Document004 {
  /// A source of the sample, with what waits for it. One class serves both threads; the
  /// document has two, alike but for their names.
  final class SampleSource: Sendable {
    let name: String
    let source: CFRunLoopSource
    /// What crosses threads stands behind a lock. The document's is a bare array.
    let commandBuffer = Cell<[SampleContext]>([])

    init(
      _ name: String,
      schedule: @escaping @Sendable (CFRunLoop, CFRunLoopMode) -> Void = { _, _ in },
      cancel: @escaping @Sendable () -> Void = {}, perform: @escaping @Sendable () -> Void = {}
    ) {
      self.name = name
      // Closures, which own what they capture, in place of a bare pointer to the object.
      var runloopSourceContext = CFRunLoopSourceContext()
      runloopSourceContext.schedule = { _, loop, mode in schedule(loop!, mode!) }
      runloopSourceContext.cancel = { _, _, _ in cancel() }
      runloopSourceContext.perform = { _ in perform() }
      source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &runloopSourceContext)
    }

    func addToCurrentRunLoop() {
      let cfrunloop = CFRunLoopGetCurrent()
      CFRunLoopAddSource(cfrunloop, source, kCFRunLoopDefaultMode)
    }

    func signalSourceAndWakeUpRunloop(_ runloop: CFRunLoop) {
      CFRunLoopSourceSignal(source)
      CFRunLoopWakeUp(runloop)
    }
  }

  /// A source and the loop that it is in: what the other thread needs to reach it.
  struct SampleContext: Sendable {
    let runloop: CFRunLoop
    let runloopSource: SampleSource
  }
}
