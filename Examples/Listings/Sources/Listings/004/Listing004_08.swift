import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_08 = Listing(
    "004-08", heading: "Configuring run loop observers",
    shows: "a second thread adds an observer of all activities and runs its loop ten times",
    outcome:
      "the observer is called for each activity; without the timer each run returns at "
      + "once, without a call",
    truth:
      "the context holds the observer's owner: the address of a local variable is invalid "
      + "after its function returns. A main thread that sleeps for a time does not wait for "
      + "the ten runs",
    rows: ["R7", "R8", "R9", "T1"],
    fault: {
      // The main thread goes on when the loop has begun its first run, and ends the process.
      let hasEntered = DispatchSemaphore(value: 0)
      print("First event in Main Thread.")
      Thread.detachNewThread {
        let owner = Document004.ObserverOwner { activity in
          guard activity == .entry else { return }
          print("The run loop has been entered.")
          hasEntered.signal()
        }
        Document004.observeTenRuns(of: 60, timerInterval: 60, owner)
        print("The run loop has been run ten times.")
      }
      hasEntered.wait()
      print("Second event in Main Thread.")
    }
  ) { story in
    let told = Transcript()
    let runs = onLoopThread { _ in
      let owner = Document004.ObserverOwner { told.append(Document004.line(for: $0)) }
      return Document004.observeTenRuns(of: 0.01, timerInterval: 0.005, owner)
    }
    story.check(runs, is: 10, "the loop is run ten times")
    for line in told.lines.prefix(12) { story.tell("| \(line)") }
    let entries = Document004.entries(in: told.lines)
    story.check(entries.count >= 10, "each of the ten runs tells of its entry")
    story.check(
      entries.allSatisfy { $0.last == "left" && $0.count { $0 == "left" } == 1 },
      "each run that was entered is left")
    story.check(
      Set(told.lines),
      is: [
        "entered", "before timers", "before sources", "before sleeping", "after sleeping", "left",
      ], "all six activities come by")
    story.check(
      entries.allSatisfy(Document004.isSequenceOfPasses),
      "each pass tells of its timers, then its sources, then its sleep, from end to end")

    // Without the timer. The ten dates are a minute ahead each.
    let untold = Transcript()
    let start = DispatchTime.now().uptimeNanoseconds
    let emptyRuns = onLoopThread { _ in
      let owner = Document004.ObserverOwner { untold.append(Document004.line(for: $0)) }
      return Document004.observeTenRuns(of: 60, timerInterval: nil, owner)
    }
    let elapsed = DispatchTime.now().uptimeNanoseconds - start
    story.tell("ten runs without a timer took \(elapsed / 1_000) µs")
    story.check(emptyRuns, is: 10, "without a timer the loop is run ten times as well")
    story.check(elapsed < 60_000_000_000, "and returns at once, not after its minutes")
    story.check(untold.lines, is: [], "there is nothing to tell")

    // As printed, the context keeps nothing: its pointer is all that is left of a local object.
    let order = Transcript()
    let isDangling = onLoopThread { loop in
      let (observer, address) = Document004.observerOfLocal(order)
      CFRunLoopAddObserver(loop, observer, .defaultMode)
      var found = CFRunLoopObserverContext()
      CFRunLoopObserverGetContext(observer, &found)
      order.append("the observer is in the loop")
      return CFRunLoopObserverIsValid(observer) && found.info == address
    }
    story.check(
      order.lines, is: ["the local object is released", "the observer is in the loop"],
      "the fault: the object of a local goes with its function")
    story.check(isDangling, "and the observer, still valid, keeps the address where it was")

    // The repair: the context retains its owner, and releases it with the observer.
    let kept = Transcript()
    onLoopThread { loop in
      let observer = Document004.observerOfOwner(kept)
      CFRunLoopAddSource(loop, makeCustomSource(), .defaultMode)
      CFRunLoopAddObserver(loop, observer, .defaultMode)
      CFRunLoopRunInMode(.defaultMode, 0, false)
      CFRunLoopObserverInvalidate(observer)
      kept.append("the observer is invalid")
    }
    story.check(
      kept.lines, is: ["the owner is told", "the owner is released", "the observer is invalid"],
      "the repair: a context that retains its owner keeps it as long as the observer is valid")

    let report = try story.runFault()
    for line in report.output { story.tell("| \(line)") }
    story.check(
      report.output.filter { !$0.hasPrefix("The run loop has been entered") },
      is: ["First event in Main Thread.", "Second event in Main Thread."],
      "where main does not wait, the process ends in the first run: ten are never reached")
    story.check(
      report.output.contains("The run loop has been entered."), "though the loop had begun it")
  }
}

extension Document004 {
  /// Owns the observer's call-back, as the document's `TestThread` does.
  final class ObserverOwner: Sendable {
    let observe: @Sendable (CFRunLoopActivity) -> Void

    init(_ observe: @escaping @Sendable (CFRunLoopActivity) -> Void) { self.observe = observe }
  }

  /// - Parameter time: each run lasts so long, if there is something to wait for.
  /// - Returns: how often the loop was run.
  @discardableResult
  static func observeTenRuns(
    of time: TimeInterval, timerInterval: TimeInterval?, _ owner: ObserverOwner
  ) -> Int {
    let runloop = RunLoop.current
    let observer = makeObserver(of: .allActivities, owner)
    CFRunLoopAddObserver(runloop.getCFRunLoop(), observer, kCFRunLoopDefaultMode)
    if let timerInterval {
      _ = Timer.scheduledTimer(withTimeInterval: timerInterval, repeats: true) { _ in }
    }
    var loopCount = 10
    repeat {
      runloop.run(until: Date(timeIntervalSinceNow: time))
      loopCount -= 1
    } while loopCount > 0
    return 10 - loopCount
  }

  static func line(for activity: CFRunLoopActivity) -> String {
    switch activity {
    case .entry: "entered"
    case .beforeTimers: "before timers"
    case .beforeSources: "before sources"
    case .beforeWaiting: "before sleeping"
    case .afterWaiting: "after sleeping"
    case .exit: "left"
    default: "\(activity)"
    }
  }

  /// The lines of each entry into the loop, its own line first.
  static func entries(in lines: [String]) -> [[String]] {
    lines.reduce(into: []) { entries, line in
      if line == "entered" || entries.isEmpty { entries.append([]) }
      entries[entries.count - 1].append(line)
    }
  }

  /// Whether the lines are an entry, whole passes, and the exit.
  static func isSequenceOfPasses(_ lines: [String]) -> Bool {
    guard lines.first == "entered", lines.last == "left" else { return false }
    var rest = lines.dropFirst().dropLast()
    while !rest.isEmpty {
      guard rest.starts(with: ["before timers", "before sources"]) else { return false }
      rest = rest.dropFirst(2)
      // A pass that finds something to do does not sleep.
      guard rest.first == "before sleeping" else { continue }
      guard rest.starts(with: ["before sleeping", "after sleeping"]) else { return false }
      rest = rest.dropFirst(2)
    }
    return true
  }

  /// An observer that calls its owner, which its context retains.
  fileprivate static func makeObserver(
    of activities: CFRunLoopActivity, _ owner: ObserverOwner
  ) -> CFRunLoopObserver {
    var observerContext = CFRunLoopObserverContext(
      version: 0, info: ObjectPointer.to(owner), retain: ObjectPointer.retain,
      release: ObjectPointer.release, copyDescription: nil)
    return CFRunLoopObserverCreate(
      kCFAllocatorDefault, activities.rawValue, true, 0,
      { _, activity, context in
        ObjectPointer.object(at: context, as: ObserverOwner.self).observe(activity)
      }, &observerContext)!
  }

  /// As printed: an observer whose context has a local's address and keeps nothing. Its call-back
  /// does not follow the pointer.
  fileprivate static func observerOfLocal(
    _ order: Transcript
  ) -> (CFRunLoopObserver, UnsafeMutableRawPointer) {
    let local = Temporary("the local object", order)
    var context = CFRunLoopObserverContext()
    context.info = ObjectPointer.to(local)
    let observer = withExtendedLifetime(local) {
      CFRunLoopObserverCreate(
        kCFAllocatorDefault, CFRunLoopActivity.entry.rawValue, true, 0, { _, _, _ in }, &context)!
    }
    return (observer, context.info)
  }

  /// Repaired: nothing but the observer's context keeps the owner.
  fileprivate static func observerOfOwner(_ order: Transcript) -> CFRunLoopObserver {
    let local = Temporary("the owner", order)
    return makeObserver(
      of: .entry,
      ObserverOwner { _ in withExtendedLifetime(local) { order.append("the owner is told") } })
  }
}
