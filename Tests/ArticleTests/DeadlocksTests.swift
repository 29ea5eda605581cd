// DeadlocksTests — the code of "Deadlocks".

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("Deadlocks") struct DeadlocksTests {
  @Test func twoQueuesThatWaitForEachOther() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      alarm(120)
      // block: Deadlocks/circle
      let a = DispatchQueue(label: "org.example.a")
      let b = DispatchQueue(label: "org.example.b")
      let aIsTaken = DispatchSemaphore(value: 0)
      let bIsTaken = DispatchSemaphore(value: 0)

      a.async {
        aIsTaken.signal()
        bIsTaken.wait()
        b.sync { print("never") }
      }
      b.async {
        bIsTaken.signal()
        aIsTaken.wait()
        a.sync { print("never") }
      }
      // end
      while true { pause() }
    }
    // block: Deadlocks/circle-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: deadlock: thread 1 (kernel 14961,
      "sb-default-1"), on the queue "org.example.a", waits in sync, for
      the queue "org.example.b" (for 20 ms), held by thread 2 (kernel
      14962, "sb-default-2"), which, on the queue "org.example.b", waits
      in sync, for the queue "org.example.a" (for 4 ms), held by thread
      1. None can ever continue. Submit with async what need not be
      waited for, or take the queues in the same order everywhere.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func aHandlerOfValues() {
    let logger = Logger()
    // block: Deadlocks/finding
    BlockedReport.onFinding(of: .deadlock) { finding in
      logger.error(
        "deadlock",
        metadata: [
          "threads": "\(finding.threads.map(\.name))",
          "queues": "\(finding.threads.map(\.queues))",
          "waits": "\(finding.threads.map { "\($0.reason) \($0.resource)" })",
          "longest": "\(finding.threads.map(\.waited).max() ?? .zero)",
        ])
    }
    // end
    // What it is called with: CrashTests/Deadlocks/FindingTests.swift.
    BlockedReport.onFinding(of: .deadlock, nil)
  }

  @Test func aLockTakenTwice() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Said.endWhenReported()
      misuse()
      func misuse() {
        // block: Deadlocks/lock-twice
        let lock = NSLock()
        lock.name = "accounts"
        lock.lock()
        lock.lock()
        // end
      }
    }
    // block: Deadlocks/lock-twice-said
    let said = """
      SIGNALBOX: deadlock: thread 1 (kernel 4711, "import") waits for the
      NSLock "accounts", held by that thread itself. It continues only
      if another thread unlocks the NSLock "accounts" for its holder. Use a
      recursive lock if a thread may take it twice.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func oneOrderForAll() {
    // block: Deadlocks/order
    let from = NSLock()
    let to = NSLock()
    func transfer(_ body: () -> Void) {
      from.withLock {
        to.withLock(body)  // whoever needs both takes them in this order
      }
    }
    // end
    var moved = 0
    transfer { moved += 1 }
    #expect(moved == 1)
  }

  @Test func noSyncWhereNoAnswerIsNeeded() throws {
    let done = EventCounter()
    // block: Deadlocks/async
    let a = DispatchQueue(label: "org.example.a")
    let b = DispatchQueue(label: "org.example.b")
    a.async {
      b.async {
        a.async { done.increment() }  // the answer comes as an item; nobody waits
      }
    }
    // end
    try done.wait(for: 1)
  }
}

/// The part of swift-log's interface that the article uses.
private struct Logger: Sendable {
  struct Message: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) {}
  }
  struct MetadataValue: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) {}
  }

  func error(_ message: Message, metadata: [String: MetadataValue]?) {}
}
