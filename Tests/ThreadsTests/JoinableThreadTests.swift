// JoinableThreadTests — results, errors, timeouts, detaching, and exits from any depth.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite(.guarded) struct JoinableThreadTests {
  struct Refusal: Error, Equatable { let number: Int }

  private func started<Success: Sendable, Failure: Error>(
    _ thread: JoinableThread<Success, Failure>
  ) -> JoinableThread<Success, Failure> {
    thread.start()
    return thread
  }

  // MARK: Results

  struct Large: Sendable, Equatable { var a = 1, b = "two", c = [3.0], d = 4, e = 5 }
  final class Object: Sendable { let number = 9 }

  @Test func resultsOfAnyTypeAreReturned() {
    #expect(started(JoinableThread { 5 }).join() == 5)
    #expect(started(JoinableThread { "text" + "s" }).join() == "texts")
    #expect(started(JoinableThread { Large() }).join() == Large())
    #expect(started(JoinableThread { Object() }).join().number == 9)
    #expect(started(JoinableThread { (1, "x") }).join() == (1, "x"))
    #expect(started(JoinableThread { Int?.none }).join() == nil)
    started(JoinableThread {}).join()
    let function: @Sendable () -> Int = started(
      JoinableThread { { 7 } as @Sendable () -> Int }
    ).join()
    #expect(function() == 7)
  }

  @Test func errorsReachTheJoiningThread() {
    let thread = started(JoinableThread { () throws -> Int in throw Refusal(number: 3) })
    #expect(throws: Refusal(number: 3)) { try thread.join() }
    let typed = started(
      JoinableThread { () throws(Refusal) -> String in throw Refusal(number: 4) })
    do throws(Refusal) { _ = try typed.join() } catch { #expect(error.number == 4) }
    #expect(typed.isFinished)
  }

  @Test func aThreadThatEndedBeforeIsJoinedToo() {
    let thread = started(JoinableThread { 1 })
    while !thread.isFinished { sched_yield() }
    #expect(thread.join() == 1)
  }

  @Test func anyThreadIsMadeJoinable() throws {
    final class Work: Thread {
      let ran: EventCounter
      init(_ ran: EventCounter) {
        self.ran = ran
        super.init()
      }
      override func main() { ran.increment() }
    }
    let ran = EventCounter()
    let thread = started(JoinableThread(joining: Work(ran)))
    thread.join()
    #expect(ran.value == 1)
  }

  @Test func aJoinedThreadRunsEvenIfItWasCancelled() {
    let thread = JoinableThread { Thread.current.isCancelled }
    thread.cancel()
    thread.start()
    #expect(thread.join())
  }

  // MARK: Time-outs

  @Test func aJoinThatTimesOutCanBeRepeated() throws {
    let mayEnd = Gate()
    let thread = started(
      JoinableThread {
        mayEnd.pass()
        return 8
      })
    #expect(thread.join(before: .distantPast) == nil)
    #expect(thread.join(timeout: .now()) == nil)
    #expect(thread.join(timeout: .now() + .milliseconds(2)) == nil)
    #expect(thread.join(before: Date() + 0.002) == nil)
    mayEnd.open()
    #expect(thread.join(before: .distantFuture) == 8)
  }

  // MARK: Exit

  @inline(never)
  private static func leave(_ depth: Int, with value: some Any) -> Int {
    if depth == 0 { Thread.exit(returning: value) }
    return leave(depth - 1, with: value) + 1
  }

  @Test func exitReturnsAResultFromAnyDepth() {
    for depth in [0, 1, 100] {
      #expect(started(JoinableThread { () -> Int in Self.leave(depth, with: 77) }).join() == 77)
    }
    #expect(
      started(
        JoinableThread { () throws -> String in
          _ = Self.leave(3, with: "deep")
          throw Refusal(number: 0)
        }
      ).result == .success("deep"))
  }

  @Test func exitWithoutAResultEndsAThreadWithAVoidResult() {
    let thread = started(JoinableThread { if processCount() > 0 { Thread.exit() } })
    thread.join()
    #expect(thread.isFinished)
  }

  @Test func objectsOfAThreadThatExitsAreFreed() throws {
    let tracker = LeakTracker()
    let threads = WeakWatch()
    for _ in 0..<20 {
      let thread = captures(tracker.makeObject(), tracker)
      threads.watch(thread.thread)
      thread.start()
      #expect(thread.join() == 1)
    }
    #expect(tracker.made == 40)
    #expect(tracker.alive == 0)
    // The thread releases its own object after its last step.
    try threads.waitUntilAllAreFreed()
  }

  private func captures(
    _ object: TrackedObject, _ tracker: LeakTracker
  ) -> JoinableThread<Int, Never> {
    JoinableThread { [object] in
      object.touch()
      Thread.current.threadDictionary["object"] = tracker.makeObject()
      _ = Self.leave(5, with: 1)
      return 0
    }
  }

  // MARK: Detach

  @Test func aThreadIsDetachedBeforeItsStartWhileItRunsAndAfterItsEnd() throws {
    let ran = EventCounter()
    let early = JoinableThread { _ = ran.increment() }
    early.detach()
    early.start()
    let mayEnd = Gate()
    let running = started(
      JoinableThread {
        mayEnd.pass()
        ran.increment()
      })
    running.detach()
    mayEnd.open()
    let late = started(JoinableThread { _ = ran.increment() })
    while !late.isFinished { sched_yield() }
    late.detach()
    try ran.wait(for: 3)
  }

  @Test func aThreadNeitherJoinedNorDetachedIsFreed() throws {
    let threads = WeakWatch()
    for _ in 0..<20 { threads.watch(started(JoinableThread { 1 }).thread) }
    try threads.waitUntilAllAreFreed()
  }

  // MARK: Names

  @Test func aJoinableThreadDescribesItself() {
    let thread = JoinableThread { Thread.current.name }
    thread.name = "joined"
    #expect(thread.description.contains("joined"))
    thread.start()
    #expect(thread.join() == "joined")
    #expect(Set([thread, thread]).count == 1)
  }
}

extension JoinableThread {
  /// The thread's result as one value.
  fileprivate var result: Result<Success, Failure> {
    Result { () throws(Failure) -> Success in try self.join() }
  }
}

extension Result where Success: Equatable, Failure == any Error {
  fileprivate static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.success(let a), .success(let b)): a == b
    default: false
    }
  }
}

/// Returns 1, which the compiler does not know.
private func processCount() -> Int { getpid() > 0 ? 1 : 0 }
