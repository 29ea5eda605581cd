import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_44 = Listing(
    "004-44", heading: "The sample: custom sources in use",
    shows: "the second thread computes the alphas, empties its buffer, fills main's and signals it",
    outcome: "only if the buffer has content; then main's perform runs",
    truth: "as printed, threads share alphas and buffers without locks: here they have locks",
    rows: ["W2", "R3"]
  ) { story in
    let exchange = Document004.SampleExchange()
    exchange.secondarySource.signalSourceAndWakeUpRunloop(exchange.secondary.loop)
    exchange.secondary.run {}
    story.check(exchange.alphas.value, is: [], "with an empty buffer it computes nothing")
    exchange.main.run { [delegate = exchange.delegate] in
      Document004.sendCommandToSecondaryThread(delegate)
    }
    exchange.isRedrawn.wait()
    story.check(exchange.alphas.value.count, is: 9, "an alpha for each cell")
    let (main, secondary) = (Cell<UInt>(0), Cell<UInt>(0))
    exchange.main.run { main.value = Place.thread }
    exchange.secondary.run { secondary.value = Place.thread }
    story.check(exchange.computedOn.value, is: [secondary.value], "computed on the second thread")
    story.check(exchange.drawnOn.value, is: [main.value], "and drawn on the one that plays main")
    story.check(exchange.redraws.value, is: 1, "and main's perform call-back ran")
    story.check(
      exchange.secondarySource.commandBuffer.value.isEmpty, "the second thread's buffer is empty")
    exchange.end()
  }
}

extension Document004 {
  /// The whole sample: two threads, two sources.
  final class SampleExchange: Sendable {
    let delegate = SampleDelegate()
    let alphas = Cell<[Double]>([])
    let redraws = Cell(0)
    /// The threads that did so.
    let computedOn = Cell<Set<UInt>>([])
    let drawnOn = Cell<Set<UInt>>([])
    let isRedrawn = DispatchSemaphore(value: 0)
    let secondarySource: SampleSource
    let main: LoopThread
    let secondary: LoopThread

    init() {
      let (delegate, alphas, redraws, isRedrawn) = (delegate, alphas, redraws, isRedrawn)
      let (computedOn, drawnOn) = (computedOn, drawnOn)
      let mainSource = delegate.makeMainSource {
        drawnOn.withValue { _ = $0.insert(Place.thread) }
        performMainThreadRunLoopSourceTask(delegate, redraws, isRedrawn)
      }
      let secondarySource = SampleSource(
        "secondary",
        perform: {
          computedOn.withValue { _ = $0.insert(Place.thread) }
          performSecondaryThreadRunLoopSourceTask(delegate, alphas)
        })
      self.secondarySource = secondarySource
      main = LoopThread { _ in mainSource.addToCurrentRunLoop() }
      secondary = LoopThread { loop in
        secondarySource.addToCurrentRunLoop()
        delegate.registerSecondaryThreadRunLoopSource(
          SampleContext(runloop: loop, runloopSource: secondarySource))
      }
    }

    func end() {
      main.end()
      secondary.end()
    }
  }

  static func performSecondaryThreadRunLoopSourceTask(
    _ delegate: SampleDelegate, _ alphas: Cell<[Double]>
  ) {
    guard let secondary = delegate.secondary else { return }
    let commands = secondary.runloopSource.commandBuffer.withValue { buffer in
      defer { buffer = [] }
      return buffer
    }
    guard let main = commands.first else { return }
    alphas.value = (0..<9).map { _ in Double.random(in: 0...1) }
    main.runloopSource.commandBuffer.withValue { $0.append(secondary) }
    main.runloopSource.signalSourceAndWakeUpRunloop(main.runloop)
  }

  static func performMainThreadRunLoopSourceTask(
    _ delegate: SampleDelegate, _ redraws: Cell<Int>, _ isRedrawn: DispatchSemaphore
  ) {
    let commands = delegate.main?.runloopSource.commandBuffer.withValue { buffer in
      defer { buffer = [] }
      return buffer
    }
    guard commands?.isEmpty == false else { return }
    redraws.withValue { $0 += 1 }
    isRedrawn.signal()
  }
}
