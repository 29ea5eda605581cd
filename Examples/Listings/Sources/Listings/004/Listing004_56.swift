import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_56 = Listing(
    "004-56", heading: "Creating threads with the base object",
    shows: "perform in the background from any object",
    outcome: "first event, the thread's line, second event: a new detached thread runs it",
    truth: "no base object is needed; the sleep is a guess and does not wait for the thread",
    rows: ["T5", "T1"]
  ) { story in
    // A thread that is busy for longer than the main thread sleeps.
    let slept = Document004.PlainTestThread()
    let mainIsAwake = DispatchSemaphore(value: 0)
    let hasRun = DispatchSemaphore(value: 0)
    DispatchQueue.main.sync {
      slept.launch(
        {
          mainIsAwake.wait()
          slept.performInBackground()
          hasRun.signal()
        }, wait: { Thread.sleep(forTimeInterval: 0.01) })
      mainIsAwake.signal()
    }
    hasRun.wait()
    story.tell(slept.output)
    story.check(
      slept.output.lines.last,
      is: "another thread: I am a event, perform in Background Thread.",
      "the fault: the thread outlasts the sleep, and its line comes last")

    let waited = Document004.PlainTestThread()
    DispatchQueue.main.sync {
      waited.launch(
        {
          waited.performInBackground()
          hasRun.signal()
        }, wait: { hasRun.wait() })
    }
    story.tell(waited.output)
    story.check(
      waited.output.lines,
      is: [
        "the main thread: First event in Main Thread.",
        "another thread: I am a event, perform in Background Thread.",
        "the main thread: Second event in Main Thread.",
      ], "the repair: the main thread waits until it has run, however long that takes")
  }
}

extension Document004.PlainTestThread {
  func launch(_ block: @escaping @Sendable () -> Void, wait: () -> Void) {
    print("First event in Main Thread.")
    Thread.performInBackground(block)
    wait()
    print("Second event in Main Thread.")
  }

  func performInBackground() { print("I am a event, perform in Background Thread.") }
}
