import SignalboxRunLoop

extension Listing {
  static let number004_38 = Listing(
    "004-38", heading: "The sample: custom sources in use",
    shows: "main's schedule callback makes a context and registers it",
    outcome: "it runs when main's source is added",
    truth: "the callback does not keep the object for which it makes the context",
    rows: ["W2", "R3"]
  ) { story in
    let delegate = Document004.SampleDelegate()
    let facts = onLoopThread { loop in
      let source = delegate.makeMainSource()
      let before = delegate.registrations.value
      source.addToCurrentRunLoop()
      let isRight = delegate.main?.runloop === loop && delegate.main?.runloopSource === source
      let after = delegate.registrations.value
      // It is in that mode already.
      source.addToCurrentRunLoop()
      let again = delegate.registrations.value
      CFRunLoopSourceSignal(source.source)
      CFRunLoopRunInMode(.defaultMode, 0, false)
      return (
        isRight: isRight, counts: [before, after, again, delegate.registrations.value],
        thread: Place.thread
      )
    }
    story.check(facts.isRight, "the source is registered, with the loop that it was added to")
    story.check(
      facts.counts, is: [0, 1, 1, 1],
      "when it is added: not when it is made, added once more, or performed")
    story.check(
      delegate.threads.value, is: [facts.thread], "the call-back runs on the thread that adds it")

    // Which references keep the object.
    let kept = onLoopThread { loop -> [Bool] in
      let delegate = Document004.SampleDelegate()
      var source: Document004.SampleSource? = delegate.makeMainSource()
      weak let unregistered = source
      let inner = source!.source
      source = nil
      var facts = [unregistered != nil]
      // The source itself is still there, and finds nothing to make a context of.
      CFRunLoopAddSource(loop, inner, .defaultMode)
      facts.append(delegate.main != nil)

      source = delegate.makeMainSource()
      weak let registered = source
      source!.addToCurrentRunLoop()
      source = nil
      facts.append(registered != nil)
      delegate.unregisterMainThreadRunLoopSource()
      facts.append(registered != nil)

      // A call-back that captures the object which has it: neither goes.
      let strong = Cell<Document004.SampleSource?>(nil)
      strong.value = Document004.SampleSource("main", schedule: { _, _ in _ = strong.value })
      weak let cycle = strong.value
      facts.append(cycle != nil)
      strong.value = nil
      facts.append(cycle != nil)
      return facts
    }
    story.check(!kept[0], "the call-back does not keep the object: it goes unregistered")
    story.check(!kept[1], "and a source added without its object registers nothing")
    story.check(kept[2], "registered, its context keeps it")
    story.check(!kept[3], "until it is registered no more")
    story.check(
      kept[4] && !kept[5], "the fault: by a strong capture it keeps itself until that is undone")
  }
}

extension Document004 {
  /// What the document's application delegate does.
  final class SampleDelegate: Sendable {
    private let registered = Cell<[String: SampleContext]>([:])
    /// How often main's source was registered, and by which threads.
    let registrations = Cell(0)
    let threads = Cell<Set<UInt>>([])

    var main: SampleContext? { registered.value["main"] }
    var secondary: SampleContext? { registered.value["secondary"] }

    func registerMainThreadRunLoopSource(_ context: SampleContext) {
      registered.withValue { $0["main"] = context }
      registrations.withValue { $0 += 1 }
      threads.withValue { _ = $0.insert(Place.thread) }
    }

    func unregisterMainThreadRunLoopSource() {
      registered.withValue { $0["main"] = nil }
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
