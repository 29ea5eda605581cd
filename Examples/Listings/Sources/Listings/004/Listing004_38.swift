import SignalboxRunLoop

extension Listing {
  static let number004_38 = Listing(
    "004-38", heading: "The sample: custom sources in use",
    shows: "main's schedule call-back makes a context and registers it",
    outcome: "it runs when main's source is added",
    truth: "the call-back does not keep the object that it makes the context of",
    rows: ["W2", "R3"]
  ) { story in
    let delegate = Document004.SampleDelegate()
    let isRight = onLoopThread { loop in
      let source = delegate.makeMainSource()
      let before = delegate.main == nil
      source.addToCurrentRunLoop()
      return before && delegate.main?.runloop === loop && delegate.main?.runloopSource === source
    }
    story.check(isRight, "the source is registered with its loop, when it is added and not before")
  }
}

extension Document004 {
  /// What the document's application delegate does.
  final class SampleDelegate: Sendable {
    private let registered = Cell<[String: SampleContext]>([:])

    var main: SampleContext? { registered.value["main"] }
    var secondary: SampleContext? { registered.value["secondary"] }

    func registerMainThreadRunLoopSource(_ context: SampleContext) {
      registered.withValue { $0["main"] = context }
    }

    func registerSecondaryThreadRunLoopSource(_ context: SampleContext) {
      registered.withValue { $0["secondary"] = context }
    }

    /// A source whose schedule call-back registers it.
    func makeMainSource(perform: @escaping @Sendable () -> Void = {}) -> SampleSource {
      let made = WeakSource()
      let source = SampleSource(
        "main",
        schedule: { loop, _ in
          guard let source = made.source else { return }
          self.registerMainThreadRunLoopSource(
            SampleContext(runloop: loop, runloopSource: source))
        }, perform: perform)
      made.source = source
      return source
    }
  }

  /// How a call-back knows its source without keeping it.
  final class WeakSource: @unchecked Sendable {
    // SAFETY: set before the source is in a loop, and read afterwards.
    weak var source: SampleSource?
  }
}
