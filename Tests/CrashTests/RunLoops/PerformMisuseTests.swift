// Misuse of performs and of hosted loops: each traps, and says what to do instead.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("performs that are misused trap")
struct PerformMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "a thread orders a perform on the loop of another thread",
      says: "perform(_:target:argument:order:modes:block:)", "loop's own",
      "Thread.perform(on:waitUntilDone:modes:block:)"
    ) {
      let thread = try LoopThread()
      RunLoop.of(thread.loop).perform("x", target: thread, modes: [.default]) {}
    }
    Misuse(
      "a thread cancels the performs of another thread's loop",
      says: "cancelPerformSelectors(withTarget:)", "loop's own"
    ) {
      let thread = try LoopThread()
      RunLoop.of(thread.loop).cancelPerformSelectors(withTarget: thread)
    }
    Misuse(
      "a thread delays a perform on the loop of another thread", says: "afterDelay", "loop's own"
    ) {
      let thread = try LoopThread()
      RunLoop.of(thread.loop).perform(afterDelay: 0) {}
    }
    Misuse(
      "two threads wait for each other's perform", says: "a block performed by", "the run loop of"
    ) {
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
    Misuse(
      "a thread drains the host of another thread", says: "drain()", "the loop's own thread"
    ) {
      let hosts = EventLog<SharedHost>()
      let thread = try LoopThread { _ in hosts.append(SharedHost(RunLoopHost())) }
      withExtendedLifetime(thread) { hosts.all[0].host.drain() }
    }
    Misuse("a host runs in the common modes", says: "common modes", "pass one mode") {
      _ = RunLoopHost(mode: .common)
    }
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
