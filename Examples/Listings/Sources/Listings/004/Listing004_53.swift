import SignalboxDispatch
import SignalboxThreads

extension Listing {
  static let number004_53 = Listing(
    "004-53", heading: "Creating threads with Thread",
    shows: "004-52 with the main thread sleeping",
    outcome: "first event, the thread's line, second event",
    truth:
      "a sleep is a guess: the order holds only if the thread is fast; with a join it "
      + "always holds",
    rows: ["T1", "T7"]
  ) { story in
    // A thread that is busy for longer than the main thread sleeps.
    let slept = Document004.PlainTestThread()
    let mainIsAwake = DispatchSemaphore(value: 0)
    let hasRun = DispatchSemaphore(value: 0)
    DispatchQueue.main.sync {
      slept.print("First event in Main Thread.")
      Thread.detachNewThread {
        mainIsAwake.wait()
        slept.methodInSecondaryThread("I am a argument")
        hasRun.signal()
      }
      Thread.sleep(forTimeInterval: 0.01)
      slept.print("Second event in Main Thread.")
      mainIsAwake.signal()
    }
    hasRun.wait()
    story.tell(slept.output)
    story.check(
      slept.output.lines.last, is: "another thread: I am a argument of event in Secondary Thread.",
      "the fault: the thread outlasts the sleep, and its line comes last")

    // A quick one: where its processor is free, it has printed before the main thread is awake.
    var rounds = 0
    var isAsPrinted = false
    while !isAsPrinted && rounds < 100 {
      rounds += 1
      let quick = Document004.PlainTestThread()
      let hasEnded = DispatchSemaphore(value: 0)
      DispatchQueue.main.sync {
        quick.print("First event in Main Thread.")
        Thread.detachNewThread {
          quick.methodInSecondaryThread("I am a argument")
          hasEnded.signal()
        }
        Thread.sleep(forTimeInterval: 0.01)
        quick.print("Second event in Main Thread.")
      }
      hasEnded.wait()
      isAsPrinted = quick.output.lines == Document004.threeLines("I am a argument of event")
    }
    story.check(isAsPrinted, "a quick one keeps the printed order")

    let joined = Document004.PlainTestThread()
    DispatchQueue.main.sync {
      joined.print("First event in Main Thread.")
      let thread = JoinableThread { joined.methodInSecondaryThread("I am a argument") }
      thread.start()
      thread.join()
      joined.print("Second event in Main Thread.")
    }
    story.tell(joined.output)
    story.check(
      joined.output.lines, is: Document004.threeLines("I am a argument of event"),
      "the repair: the main thread waits for the thread's end, however long that takes")
  }
}

extension Document004 {
  /// What 004-53 and the two after it are said to print.
  static func threeLines(_ line: String) -> [String] {
    [
      "the main thread: First event in Main Thread.",
      "another thread: \(line) in Secondary Thread.",
      "the main thread: Second event in Main Thread.",
    ]
  }
}
