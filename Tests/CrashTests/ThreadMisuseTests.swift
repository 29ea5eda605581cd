// Misuse of threads: each traps, and says what to do instead.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite("threads that are misused trap")
struct ThreadMisuseTests {
  struct Refusal: Error {}

  // MARK: Starting

  @Test func startingTwice() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread {}
      thread.name = "twice"
      thread.start()
      thread.joined()
      thread.start()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the thread \"twice\"", "started twice", "finished")
  }

  @Test func startingTwiceAtOnce() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = Thread { Trap.waitForIt() }
      thread.start()
      thread.start()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "started twice", "make another")
  }

  @Test(arguments: [0, 4096, 16 * 1024 - 1, 16 * 1024 + 1, 17 * 1024, -16384])
  func stackSizesThatCannotBe(_ size: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [size] in
      Trap.arm()
      Thread {}.stackSize = size
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the stack size \(size)", "4096", "16384")
  }

  @Test func aStackSizeAfterTheStart() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread {}
      thread.start()
      thread.joined()
      thread.thread.stackSize = 1 << 20
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "stackSize", "finished", "before start()")
  }

  /// As text: what is no number cannot be handed to a test's process.
  @Test(arguments: ["-0.1", "1.1", "nan", "inf"])
  func prioritiesOutOfTheRange(_ priority: String) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [priority] in
      Trap.arm()
      Thread {}.threadPriority = Double(priority) ?? 0.5
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the priority \(priority)", "from 0.0 to 1.0")
  }

  @Test func aPriorityOutOfTheRangeOfTheCaller() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      Thread.setThreadPriority(2)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "the priority 2.0")
  }

  @Test func mustFinishAfterTheStart() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      Thread.main.mustFinish = true
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "mustFinish", "before start()")
  }

  // MARK: Joining

  @Test func joiningOneself() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let own = Guarded<JoinableThread<Void, Never>?>(nil)
      let isKnown = Gate()
      let thread = JoinableThread {
        isKnown.pass()
        own.current?.join()
      }
      thread.name = "selfish"
      own.withValue { $0 = thread }
      thread.start()
      isKnown.open()
      Trap.waitForIt()
    }
    Trap.expect(result?.standardErrorContent, says: "the thread \"selfish\"", "joined by itself")
  }

  @Test func joiningTwice() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread { 1 }
      thread.start()
      if thread.joined() == 1 { _ = thread.joined() }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "was joined, but it has been joined already", "once")
  }

  @Test func joiningWhileAnotherThreadDoes() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread { () -> Void in Trap.waitForIt() }
      thread.start()
      let other = JoinableThread { thread.join() }
      other.start()
      // Whoever comes second.
      thread.joined()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "another thread is joining it")
  }

  @Test func joiningADetachedThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread {}
      thread.start()
      thread.detach()
      thread.joined()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "was joined, but it is detached already")
  }

  @Test func detachingTwice() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread {}
      thread.detach()
      thread.detach()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "was detached, but it is detached already")
  }

  @Test func detachingWhatWasJoined() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread {}
      thread.start()
      thread.joined()
      thread.detach()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "was detached, but it has been joined already")
  }

  @Test func joiningWhatWasNotStarted() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      JoinableThread {}.joined()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "was joined before it was started", "call start() first")
  }

  @Test func makingAStartedThreadJoinable() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = Thread { Trap.waitForIt() }
      thread.start()
      _ = JoinableThread(joining: thread)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "joinability", "before start()")
  }

  /// Two threads join each other: each needs the other's end.
  @Test func joiningInACycle() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let other = Guarded<JoinableThread<Void, Never>?>(nil)
      let isKnown = Gate()
      let first = JoinableThread {
        isKnown.pass()
        other.current?.join()
      }
      first.name = "first"
      let second = JoinableThread { first.join() }
      second.name = "second"
      other.withValue { $0 = second }
      first.start()
      second.start()
      isKnown.open()
      Trap.waitForIt()
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock", "for the end of the thread \"first\"",
      "for the end of the thread \"second\"")
  }

  // MARK: Ending

  @Test func exitInAnItemOfAQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      DispatchQueue.global().async { Thread.exit() }
      Trap.waitForIt()
    }
    Trap.expect(result?.standardErrorContent, says: "item of a queue", "return from the item")
  }

  @Test func exitInsideSync() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.exit")
      Thread { queue.sync { Thread.exit() } }.start()
      Trap.waitForIt()
    }
    Trap.expect(result?.standardErrorContent, says: "inside sync")
  }

  @Test func exitWithoutTheResultThatIsWaitedFor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread { () -> Int in
        if getpid() > 0 { Thread.exit() }
        return 1
      }
      thread.start()
      _ = thread.joined()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "of type Int", "Thread.exit(returning:)")
  }

  @Test func exitWithAResultOfAnotherType() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread { () -> Int in
        if getpid() > 0 { Thread.exit(returning: "text") }
        return 1
      }
      thread.start()
      _ = thread.joined()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "with a String", "not of that type")
  }

  @Test func exitWithAResultOfAPlainThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      Thread { Thread.exit(returning: 1) }.start()
      Trap.waitForIt()
    }
    Trap.expect(result?.standardErrorContent, says: "with a Int", "only a JoinableThread")
  }

  /// What C code in the body does behind Swift's back leaves no result.
  @Test func joiningWhatEndedWithoutAResult() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = JoinableThread { () -> Int in
        if getpid() > 0 { pthread_exit(nil) }
        return 1
      }
      thread.start()
      _ = thread.joined()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "ended without a result of type Int")
  }

  // MARK: Errors

  @Test func anErrorThatLeavesADetachedThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thread = Thread(throwing: { throw Refusal() })
      thread.name = "careless"
      thread.start()
      Trap.waitForIt()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the thread \"careless\"", "nobody caught: Refusal",
      "uncaughtErrorHandler")
  }

  @Test(arguments: [0, 1, 2])
  func anErrorOfAThreadThatNobodyJoins(_ way: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [way] in
      Trap.arm()
      var thread: JoinableThread<Void, any Error>? = JoinableThread { throw Refusal() }
      thread?.name = "forgotten"
      switch way {
      case 0:
        thread?.start()
        thread?.detach()
      case 1:
        thread?.start()
        while thread?.isFinished == false { sched_yield() }
        thread?.detach()
      default:
        thread?.start()
        thread = nil
      }
      Trap.waitForIt()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the thread \"forgotten\"", "nobody caught: Refusal")
  }

  // MARK: The process's end

  @Test func aReplyThatNobodyAwaits() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      Termination.reply(toShouldTerminate: true)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "no answer is awaited", "terminateLater")
  }
}

extension JoinableThread {
  /// The body of an exit test may wait, though it is asynchronous by its type.
  @discardableResult
  fileprivate func joined() throws(Failure) -> Success { try join() }
}
