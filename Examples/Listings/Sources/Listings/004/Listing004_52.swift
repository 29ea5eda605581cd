import SignalboxDispatch
import SignalboxThreads

extension Listing {
  static let number004_52 = Listing(
    "004-52", heading: "Creating threads with Thread",
    shows: "004-50 with the class made an Objective-C object",
    outcome:
      "first event, second event; the thread's line is missing, because the process ended "
      + "first",
    truth: "a thread can be marked as one that must finish, and a process can wait for those",
    rows: ["T1", "T3", "T7"],
    fault: {
      let threadHasBegun = DispatchSemaphore(value: 0)
      let processHasEnded = DispatchSemaphore(value: 0)
      let mainIsDone = DispatchSemaphore(value: 0)
      print("First event in Main Thread.")
      Thread.detachNewThread {
        threadHasBegun.signal()
        // Nobody signals it: the thread is still on its way when the process ends.
        processHasEnded.wait()
        print("I am a argument of event in Secondary Thread.")
      }
      let repaired = Thread {
        mainIsDone.wait()
        print("I must finish, says another thread.")
      }
      repaired.mustFinish = true
      repaired.start()
      threadHasBegun.wait()
      print("Second event in Main Thread.")
      mainIsDone.signal()
      Termination.waitForThreads()
    }
  ) { story in
    let report = try story.runFault()
    for line in report.output { story.tell("| \(line)") }
    story.check(
      Array(report.output.prefix(2)),
      is: ["First event in Main Thread.", "Second event in Main Thread."],
      "both events of the main thread are printed")
    story.check(
      !report.output.contains("I am a argument of event in Secondary Thread."),
      "the fault: the process ended before the detached thread came to its line")
    story.check(
      report.output.last, is: "I must finish, says another thread.",
      "the repair: the process waited for the thread that must finish")

    // A thread that is joined hands its result over, too.
    let thread = JoinableThread { "I am a argument of event in Secondary Thread." }
    thread.start()
    story.check(
      thread.join(), is: "I am a argument of event in Secondary Thread.",
      "or: a joinable thread gives its line to the one who waits for it")
  }
}
