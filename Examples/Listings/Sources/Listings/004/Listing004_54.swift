import Glibc
import SignalboxDispatch
import SignalboxThreads
import Synchronization

extension Listing {
  static let number004_54 = Listing(
    "004-54", heading: "Creating threads with Thread",
    shows: "a thread object with target, method and argument, then start",
    outcome: "the same three lines; before the start the thread can get its attributes",
    truth:
      "a thread of low priority is slow, but it finishes, even if one of high priority is "
      + "busy until it does",
    rows: ["T1", "T2"]
  ) { story in
    let test = Document004.PlainTestThread()
    DispatchQueue.main.sync {
      test.print("First event in Main Thread.")
      let secondaryThread = JoinableThread { test.methodInSecondaryThread("I am a argument") }
      secondaryThread.start()
      secondaryThread.join()
      test.print("Second event in Main Thread.")
    }
    story.tell(test.output)
    story.check(
      test.output.lines, is: Document004.threeLines("I am a argument of event"),
      "started and joined, the three lines come in order")

    // What a detached thread, which starts at once, cannot be given.
    let own = Document004.niceness()
    let configured = JoinableThread {
      Document004.Attributes(
        name: Thread.current.name, kernelName: Document004.kernelName(),
        stackSize: Thread.current.stackSize, niceness: Document004.niceness())
    }
    configured.name = "secondary thread of the guide"
    configured.thread.stackSize = 256 * 1024
    configured.thread.threadPriority = 0.25
    configured.start()
    let attributes = configured.join()
    story.check(attributes.name, is: "secondary thread of the guide", "the thread has its name")
    story.check(
      attributes.kernelName, is: "secondary threa", "the kernel's list shows what has room there")
    story.check(attributes.stackSize, is: 262_144, "it has the stack it was given")
    story.check(
      attributes.niceness > own || own == 19, "its priority is in effect: the kernel's is lower")

    // Starvation: a busy thread for each processor, none of which ends before the one of
    // low priority has its result. Theirs is the higher priority, and they need that result.
    let isReady = Atomic(false)
    let rounds = Atomic(0)
    let start = Rendezvous(of: 2)
    let low = JoinableThread {
      start.arrive()
      // order: releasing; who sees that it is ready sees the result, which here is that alone.
      isReady.store(true, ordering: .releasing)
    }
    low.thread.threadPriority = 0
    low.start()
    let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let busy = (0..<processors).map { _ in
      JoinableThread {
        // order: acquiring; pairs with the releasing store of the thread of low priority.
        while !isReady.load(ordering: .acquiring) {
          // order: relaxed; a number to tell.
          rounds.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    for thread in busy { thread.start() }
    start.arrive()
    low.join()
    for thread in busy { thread.join() }
    // order: relaxed; all who added were joined.
    story.tell("\(rounds.load(ordering: .relaxed)) rounds of the busy threads")
    story.check(low.isFinished, "among \(processors) busy threads the one of priority 0 finishes")
    story.check(busy.allSatisfy(\.isFinished), "and so do those which needed its result")
  }
}

extension Document004 {
  /// What a thread finds of itself.
  struct Attributes: Sendable {
    let name: String?
    let kernelName: String
    let stackSize: Int
    let niceness: Int32
  }

  /// The calling thread's nice value, which on Linux is a thread's own.
  static func niceness() -> Int32 {
    getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
  }

  /// The calling thread's name in the kernel's list.
  static func kernelName() -> String {
    guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
