// Misuse of threads: each traps, and says what to do instead.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite("threads that are misused trap")
struct ThreadMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Starting

    Misuse(
      "a finished thread is started again", says: "the thread \"twice\"", "started twice",
      "finished"
    ) {
      let thread = JoinableThread {}
      thread.name = "twice"
      thread.start()
      thread.join()
      thread.start()
    }
    Misuse("a running thread is started again", says: "started twice", "make another") {
      let thread = Thread { Trap.waitForIt() }
      thread.start()
      thread.start()
    }
    for priority in [-0.1, 1.1, .nan, .infinity] {
      Misuse(
        "a thread gets a priority of \(priority)", says: "the priority \(priority)",
        "from 0.0 to 1.0"
      ) {
        Thread {}.threadPriority = priority
      }
    }
    Misuse("the calling thread gets a priority of 2", says: "the priority 2.0") {
      Thread.setThreadPriority(2)
    }
    Misuse("a started thread gets mustFinish", says: "mustFinish", "before start()") {
      Thread.main.mustFinish = true
    }

    // MARK: Joining

    Misuse("a thread joins itself", says: "the thread \"selfish\"", "joined by itself") {
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
    Misuse("a thread is joined twice", says: "was joined, but it has been joined already", "once") {
      let thread = JoinableThread { 1 }
      thread.start()
      if thread.join() == 1 { _ = thread.join() }
    }
    Misuse("two threads join a thread at the same time", says: "another thread is joining it") {
      let thread = JoinableThread { () -> Void in Trap.waitForIt() }
      thread.start()
      let other = JoinableThread { thread.join() }
      other.start()
      // The second caller.
      thread.join()
    }
    Misuse("a detached thread is joined", says: "was joined, but it is detached already") {
      let thread = JoinableThread {}
      thread.start()
      thread.detach()
      thread.join()
    }
    Misuse("a thread is detached twice", says: "was detached, but it is detached already") {
      let thread = JoinableThread {}
      thread.detach()
      thread.detach()
    }
    Misuse("a joined thread is detached", says: "was detached, but it has been joined already") {
      let thread = JoinableThread {}
      thread.start()
      thread.join()
      thread.detach()
    }
    Misuse(
      "a thread is joined before it is started", says: "was joined before it was started",
      "call start() first"
    ) {
      JoinableThread {}.join()
    }
    Misuse("a started thread becomes joinable", says: "joinability", "before start()") {
      let thread = Thread { Trap.waitForIt() }
      thread.start()
      _ = JoinableThread(joining: thread)
    }
    Misuse(
      "two threads join each other", says: "deadlock", "for the end of the thread \"first\"",
      "for the end of the thread \"second\""
    ) {
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

    // MARK: Ending

    Misuse("an item of a queue exits its thread", says: "item of a queue", "return from the item") {
      DispatchQueue.global().async { Thread.exit() }
      Trap.waitForIt()
    }
    Misuse("a thread exits inside sync", says: "inside sync") {
      let queue = DispatchQueue(label: "org.signalbox.crash.exit")
      Thread { queue.sync { Thread.exit() } }.start()
      Trap.waitForIt()
    }
    Misuse("a joined thread exits without a result", says: "of type Int", "Thread.exit(returning:)")
    {
      let thread = JoinableThread { () -> Int in
        if getpid() > 0 { Thread.exit() }
        return 1
      }
      thread.start()
      _ = thread.join()
    }
    Misuse(
      "a joined thread exits with a result of another type", says: "with a String",
      "not of that type"
    ) {
      let thread = JoinableThread { () -> Int in
        if getpid() > 0 { Thread.exit(returning: "text") }
        return 1
      }
      thread.start()
      _ = thread.join()
    }
    Misuse("a plain thread exits with a result", says: "with a Int", "only a JoinableThread") {
      Thread { Thread.exit(returning: 1) }.start()
      Trap.waitForIt()
    }
    // C code ends the thread without Swift's knowledge.
    Misuse("a joined thread ends in C without a result", says: "ended without a result of type Int")
    {
      let thread = JoinableThread { () -> Int in
        if getpid() > 0 { pthread_exit(nil) }
        return 1
      }
      thread.start()
      _ = thread.join()
    }

    // MARK: Errors

    Misuse(
      "an error leaves a detached thread", says: "the thread \"careless\"",
      "uncaught error: Refusal", "uncaughtErrorHandler"
    ) {
      let thread = Thread(throwing: { throw Refusal() })
      thread.name = "careless"
      thread.start()
      Trap.waitForIt()
    }
    for (abandonment, abandon) in abandonments {
      Misuse(
        "a thread with an error \(abandonment)", says: "the thread \"forgotten\"",
        "uncaught error: Refusal"
      ) {
        do {
          let thread = JoinableThread { throw Refusal() }
          thread.name = "forgotten"
          thread.start()
          abandon(thread)
        }
        Trap.waitForIt()
      }
    }

    // MARK: The end of the process

    Misuse(
      "a program replies to a request to terminate that nobody made",
      says: "no answer is awaited", "terminateLater"
    ) {
      Termination.reply(toShouldTerminate: true)
    }
  }

  struct Refusal: Error {}

  private static var abandonments: [(String, @Sendable (JoinableThread<Void, any Error>) -> Void)] {
    [
      ("is detached at once", { $0.detach() }),
      (
        "is detached after its end",
        { thread in
          while !thread.isFinished { sched_yield() }
          thread.detach()
        }
      ),
      ("is released", { _ in }),
    ]
  }
}
