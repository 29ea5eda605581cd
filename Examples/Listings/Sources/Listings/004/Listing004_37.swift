import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_37 = Listing(
    "004-37", heading: "The sample: custom sources in use",
    shows:
      "the second thread adds its source and runs its loop in rounds until stopped or finished",
    outcome: "a round that handles its source or times out is followed by another",
    truth: "the copy lacks the condition: while not done",
    rows: ["W2", "R9", "R10"]
  ) { story in
    for isStopped in [true, false] {
      let rounds = Transcript()
      let source = Document004.SampleSource("secondary", perform: { rounds.append("performed") })
      let loop = Cell<CFRunLoop?>(nil)
      let hasBegun = DispatchSemaphore(value: 0)
      let thread = JoinableThread {
        loop.value = CFRunLoopGetCurrent()
        Document004.startThreadWithRunloop(source, round: 0.01, rounds, hasBegun)
      }
      thread.start()
      hasBegun.wait()
      source.signalSourceAndWakeUpRunloop(loop.value!)
      // Until there were both kinds of round.
      while !["handledSource", "timedOut"].allSatisfy(rounds.lines.contains) {
        Thread.sleep(forTimeInterval: 0.001)
      }
      if isStopped {
        CFRunLoopPerformBlock(loop.value, .defaultMode) { CFRunLoopStop(CFRunLoopGetCurrent()) }
      } else {
        CFRunLoopRemoveSource(loop.value, source.source, .defaultMode)
      }
      CFRunLoopWakeUp(loop.value)
      thread.join()
      let last = rounds.lines.last
      story.check(
        last, is: isStopped ? "stopped" : "finished",
        isStopped ? "a stop ends the rounds" : "so does the loss of its last source")
      story.check(
        rounds.lines.count { $0 == "handledSource" }, is: 1, "one round ended with a source")
    }
  }
}

extension Document004 {
  /// The document's rounds are of five seconds.
  static func startThreadWithRunloop(
    _ source: SampleSource, round: CFTimeInterval, _ rounds: Transcript,
    _ hasBegun: DispatchSemaphore
  ) {
    var done = false
    source.addToCurrentRunLoop()
    hasBegun.signal()
    repeat {
      let result = CFRunLoopRunInMode(kCFRunLoopDefaultMode, round, true)
      rounds.append("\(result)")
      if result == .stopped || result == .finished { done = true }
    } while !done
  }
}
