// Cycles that a thread outside them may still end by a legal call: they are reported, the
// process continues, and after that call every thread ends.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite("a deadlock that another thread may end is reported, and ends")
struct DeadlockReleaseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Locks

    Misuse(
      "another thread unlocks a lock of the cycle",
      reportsUntilReleased: "continue only if another thread unlocks",
      "unlocks the NSLock \"first\" for its holder", "unlocks the NSLock \"second\""
    ) { threads in
      let (a, b) = (NSLock(), NSLock())
      (a.name, b.name) = ("first", "second")
      let meeting = Meeting(2)
      threads.append(
        try PlainThread {
          a.lock()
          meeting.meet()
          b.lock()
          b.unlock()
        })
      threads.append(
        try PlainThread {
          b.lock()
          meeting.meet()
          a.lock()
          a.unlock()
          b.unlock()
        })
      return { a.unlock() }
    }
    Misuse(
      "another thread unlocks a lock that its owner locks twice",
      reportsUntilReleased: "held by that thread itself",
      "continues only if another thread unlocks the NSLock \"own\""
    ) { threads in
      let lock = NSLock()
      lock.name = "own"
      threads.append(
        try PlainThread {
          lock.lock()
          lock.lock()
          lock.unlock()
        })
      return { lock.unlock() }
    }
    // The signalled waiter sleeps until the signaller leaves the condition, and the signaller
    // waits for the waiter's lock.
    Misuse(
      "another thread unlocks the lock that a signaller wants",
      reportsUntilReleased: "the NSCondition \"stock\"", "the NSLock \"list\"",
      "holding the NSCondition \"stock\"", "holding the NSLock \"list\""
    ) { threads in
      let list = NSLock()
      list.name = "list"
      let stock = NSCondition()
      stock.name = "stock"
      threads.append(
        try PlainThread {
          list.lock()
          stock.lock()
          stock.wait()
          stock.unlock()
        })
      try WaitWatch.waitUntilAsleep(for: .condition, on: "\"stock\"")
      threads.append(
        try PlainThread {
          stock.lock()
          stock.signal()
          list.lock()
          list.unlock()
          stock.unlock()
        })
      return { list.unlock() }
    }

    // MARK: Work

    Misuse(
      "another thread performs the work item", reportsUntilReleased: "a work item",
      "another thread performs the work item"
    ) { threads in
      let queue = DispatchQueue(label: "dead.queue")
      nonisolated(unsafe) let item = DispatchWorkItem {}  // SAFETY: it may be used anywhere.
      threads.append(
        try PlainThread {
          queue.sync {
            queue.async(execute: item)
            item.wait()
          }
        })
      return {
        item.cancel()
        item.perform()
      }
    }

    // MARK: Operations

    Misuse(
      "another thread makes the operation queue wider", reportsUntilReleased: "\"second\"",
      "raises maxConcurrentOperationCount"
    ) { threads in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let second = namedOperation("second")
      queue.addOperation {
        queue.addOperation(second)
        second.waitUntilFinished()
      }
      threads.append(try PlainThread { queue.waitUntilAllOperationsAreFinished() })
      return { queue.maxConcurrentOperationCount = 2 }
    }
    for isRemoved in [true, false] {
      Misuse(
        "another thread \(isRemoved ? "removes the dependency" : "cancels the operation")",
        reportsUntilReleased: "\"second\"", "cancels the operation or removes the dependency"
      ) { threads in
        let queue = OperationQueue()
        let second = namedOperation("second")
        let first = BlockOperation { second.waitUntilFinished() }
        first.name = "first"
        second.addDependency(first)
        queue.addOperation(second)
        queue.addOperation(first)
        threads.append(try PlainThread { queue.waitUntilAllOperationsAreFinished() })
        return { if isRemoved { second.removeDependency(first) } else { second.cancel() } }
      }
    }
    for waitsForQueue in [true, false] {
      Misuse(
        "another thread finishes an operation that waits for \(waitsForQueue ? "its queue" : "itself")",
        reportsUntilReleased: "another thread finishes the operation"
      ) { threads in
        let queue = OperationQueue()
        let own = Guarded<Operation?>(nil)
        let end = Guarded<(@Sendable () -> Void)?>(nil)
        let operation = AsynchronousOperation { finish in
          end.withValue { $0 = finish }
          if waitsForQueue {
            queue.waitUntilAllOperationsAreFinished()
          } else {
            own.current?.waitUntilFinished()
          }
        }
        own.withValue { $0 = operation }
        queue.addOperation(operation)
        threads.append(try PlainThread { queue.waitUntilAllOperationsAreFinished() })
        return { end.current?() }
      }
    }
    // A thread may finish the operation before it begins.
    Misuse(
      "another thread finishes an operation behind a barrier", reportsUntilReleased: "\"last\"",
      "another thread finishes the operation"
    ) { threads in
      let queue = OperationQueue()
      let last = Endless()
      last.name = "last"
      queue.addOperation {
        queue.addBarrierBlock {}
        queue.addOperation(last)
        last.waitUntilFinished()
      }
      threads.append(try PlainThread { queue.waitUntilAllOperationsAreFinished() })
      return { last.finish() }
    }
  }

  // MARK: A call-back

  @Test func aHandlerReceivesTheReportInsteadOfStandardError() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let told = Guarded<[String]>([])
      BlockedReport.onDeadlock { text in told.withValue { $0.append(text) } }
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let second = namedOperation("second")
      queue.addOperation {
        queue.addOperation(second)
        second.waitUntilFinished()
      }
      guard told.wait(limit: RealTime.wedge, until: { $0.count == 1 }) else { exit(2) }
      queue.maxConcurrentOperationCount = 2
      plainly { queue.waitUntilAllOperationsAreFinished() }
      exit(told.current.count == 1 ? EXIT_SUCCESS : 3)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("deadlock"))
  }
}

// MARK: Means

enum Released {
  /// Runs `close`, which closes a cycle on threads of its own; when it stands in the report of
  /// who waits, calls what that returned, and ends the process well once the threads have
  /// ended and the report names it no more.
  static func run(
    _ close: (inout [PlainThread]) throws -> @Sendable () -> Void
  ) throws -> Never {
    Trap.arm()
    var threads: [PlainThread] = []
    let release = try close(&threads)
    untilReported("deadlock: ")
    release()
    for thread in threads { try thread.join() }
    // A worker may still be about to wake.
    while BlockedReport.text().contains("deadlock: ") { sched_yield() }
    exit(EXIT_SUCCESS)
  }
}
