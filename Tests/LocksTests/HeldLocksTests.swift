// HeldLocksTests — the list of locks that a thread holds while lock checking is on: which threads
// may read it, and when it is freed.

import SignalboxLocks
@testable import SignalboxDiagnostics
@testable import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

/// The check applies to the whole process: it records other tests' locks too, without
/// consequences.
@Suite(.serialized, .guarded) struct HeldLocksTests {
  private static func named(_ name: String) -> NSLock {
    let lock = NSLock()
    lock.name = name
    return lock
  }

  private func whileChecking(_ body: () throws -> Void) rethrows {
    LockOrderCheck.begin(.call { _ in })
    defer { LockOrderCheck.end() }
    try body()
  }

  @Test func aThreadsListIsFreedWhenTheThreadEnds() throws {
    try whileChecking {
      let watch = WeakWatch()
      let lock = NSLock()
      try onPlainThread {
        lock.withLock {}
        watch.watch(HeldLocks.ofThisThread!)
      }
      #expect(watch.watched == 1)
      try watch.waitUntilAllAreFreed()
    }
  }

  @Test func aListContainsExactlyTheLocksOfTheThread() throws {
    try whileChecking {
      let (a, b) = (Self.named("held.a"), Self.named("held.b"))
      try onPlainThread {
        let texts = { HeldLocks.ofThisThread?.list.map(\.text) ?? [] }
        a.lock()
        #expect(b.try())
        #expect(texts() == ["the NSLock \"held.a\"", "the NSLock \"held.b\""])
        a.unlock()
        #expect(texts() == ["the NSLock \"held.b\""])
        b.unlock()
        #expect(texts() == [])
      }
    }
  }

  /// Other threads read a list only while its thread waits; the thread changes the list as soon
  /// as it does not wait. This test is mainly for ThreadSanitizer.
  @Test func othersReadAListOnlyWhileItsThreadWaits() throws {
    try whileChecking {
      let locks = (0..<4).map { Self.named("read.\($0)") }
      let isOver = Atomic<Bool>(false)
      let seen = Guarded(0)
      let reader = try PlainThread {
        while !isOver.load(ordering: .relaxed) {
          for record in WaitRegistry.shared.records {
            let texts = LockOrder.valid(record.heldLocks).map(\.text)
            let own = texts.filter { $0.contains("\"read.") }
            // They are taken in one order, so the list has that order.
            #expect(own == own.sorted())
            if !own.isEmpty { seen.withValue { $0 += 1 } }
          }
        }
      }
      let limit = Uptime.now() + RealTime.wedge
      try runThreads(3) { index in
        var turn = index
        while seen.current < 50 && Uptime.now() < limit {
          turn += 1
          locks[turn % 2].lock()
          locks[2 + turn % 2].lock()
          locks[turn % 2].unlock()
          letRealTimePass(.microseconds(200))
          locks[2 + turn % 2].unlock()
        }
      }
      isOver.store(true, ordering: .relaxed)
      try reader.join()
      #expect(seen.current >= 50)
    }
  }

  /// A probe's handler runs on the waiting thread, whose list others may read.
  @Test func locksTakenByAHandlerDuringAWaitAreNotRecorded() throws {
    try whileChecking {
      let (lock, handlers) = (Self.named("handled.lock"), Self.named("handled.own"))
      let noted = Guarded<[String]>([])
      let waiter = Guarded<UInt32>(0)
      let id = ProbeSubscribers.shared.subscribe(to: [.waitBegan]) { event in
        guard event.thread == waiter.current else { return }
        handlers.withLock {
          let texts = HeldLocks.ofThisThread?.list.map(\.text) ?? []
          noted.withValue { $0 += texts + ["looked"] }
        }
      }
      defer { ProbeSubscribers.shared.unsubscribe(id) }
      lock.lock()
      let thread = try PlainThread {
        waiter.withValue { $0 = WaitRecord.ofThisThread.thread }
        lock.withLock {}
      }
      #expect(noted.wait(limit: RealTime.wedge) { $0.contains("looked") })
      lock.unlock()
      try thread.join()
      #expect(!noted.current.contains("the NSLock \"handled.own\""))
    }
  }
}
