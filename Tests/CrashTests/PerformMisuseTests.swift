// Misuse of performs and of hosted loops: each traps, and says what to do instead.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("performs that are misused trap")
struct PerformMisuseTests {
  @Test func orderedPerformOnTheLoopOfAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let thread = try LoopThread()
        RunLoop.of(thread.loop).perform("x", target: thread, modes: [.default]) {}
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "perform(_:target:argument:order:modes:block:)",
      "loop's own", "Thread.perform(on:waitUntilDone:modes:block:)")
  }

  @Test func cancellingOnTheLoopOfAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let thread = try LoopThread()
        RunLoop.of(thread.loop).cancelPerformSelectors(withTarget: thread)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "cancelPerformSelectors(withTarget:)", "loop's own")
  }

  @Test func delayedPerformOnTheLoopOfAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let thread = try LoopThread()
        RunLoop.of(thread.loop).perform(afterDelay: 0) {}
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "afterDelay", "loop's own")
  }

  @Test func twoThreadsThatWaitForEachOthersPerform() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let one = try LoopThread()
        let other = try LoopThread()
        let objectOfOne = try one.run { SharedThread(Thread.current) }
        let objectOfOther = try other.run { SharedThread(Thread.current) }
        let both = Rendezvous(parties: 2)
        for (loop, waited) in [(one.loop, objectOfOther), (other.loop, objectOfOne)] {
          RunLoop.of(loop).perform {
            _ = try? both.meet()
            try? Thread.perform(on: waited.thread, waitUntilDone: true) {}
          }
        }
        Trap.waitForIt()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "a block performed by", "the run loop of")
  }

  @Test func drainingTheHostOfAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let hosts = EventLog<SharedHost>()
        let thread = try LoopThread { _ in hosts.append(SharedHost(RunLoopHost())) }
        withExtendedLifetime(thread) { hosts.all[0].host.drain() }
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "drain()", "hosted by its own thread")
  }

  @Test func hostingTheCommonModes() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm { _ = RunLoopHost(mode: .common) }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "common modes", "name one")
  }
}

/// A thread, to be handed to another.
private final class SharedThread: @unchecked Sendable {
  // SAFETY: a thread's object may be used from any thread.
  let thread: Thread
  init(_ thread: Thread) { self.thread = thread }
}

/// A host, to be used where it must not be.
private final class SharedHost: @unchecked Sendable {
  // SAFETY: what is called on it traps before it touches anything.
  let host: RunLoopHost
  init(_ host: RunLoopHost) { self.host = host }
}
