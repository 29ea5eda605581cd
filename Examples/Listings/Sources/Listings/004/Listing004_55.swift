import SignalboxDispatch
import SignalboxThreads

extension Listing {
  static let number004_55 = Listing(
    "004-55", heading: "Creating threads with Thread",
    shows: "a subclass with two stored arguments and main",
    outcome: "first event, the line with both arguments, second event",
    truth: "a thread's block takes several arguments, too; it needs no subclass",
    rows: ["T1"]
  ) { story in
    let line = "I am arg1, I am arg2, we are the arguments"
    let test = Document004.PlainTestThread()
    DispatchQueue.main.sync {
      test.print("First event in Main Thread.")
      let customThread = JoinableThread(
        joining: Document004.CustomThread(arg1: "I am arg1", arg2: "I am arg2", test))
      customThread.start()
      customThread.join()
      test.print("Second event in Main Thread.")
    }
    story.tell(test.output)
    story.check(
      test.output.lines, is: Document004.threeLines(line),
      "main of the subclass runs on the new thread, with both arguments")

    let block = Document004.PlainTestThread()
    DispatchQueue.main.sync {
      block.print("First event in Main Thread.")
      let thread = JoinableThread(
        joining: Thread(with: "I am arg1", "I am arg2") { arg1, arg2 in
          block.print("\(arg1), \(arg2), we are the arguments in Secondary Thread.")
        })
      thread.start()
      thread.join()
      block.print("Second event in Main Thread.")
    }
    story.check(
      block.output.lines, is: Document004.threeLines(line), "so does a block that takes them")

    // One that was cancelled before its start does not run its main.
    let cancelled = Document004.PlainTestThread()
    let thread = Document004.CustomThread(arg1: "I am arg1", arg2: "I am arg2", cancelled)
    thread.cancel()
    thread.start()
    story.check(thread.isFinished, "a thread that is cancelled before its start is finished then")
    story.check(cancelled.output.lines, is: [], "and never runs")
  }
}

extension Document004 {
  final class CustomThread: Thread {
    private let arg1: String
    private let arg2: String
    private let test: PlainTestThread

    init(arg1: String, arg2: String, _ test: PlainTestThread) {
      self.arg1 = arg1
      self.arg2 = arg2
      self.test = test
      super.init()
    }

    override func main() {
      test.print("\(arg1), \(arg2), we are the arguments in Secondary Thread.")
    }
  }
}
