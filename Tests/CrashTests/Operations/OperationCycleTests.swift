// Operations that cannot become ready: the process reports which, and continues. Threads that
// wait for operations that cannot finish: it says which, and ends.

import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite("cycles of operations are reported, waits for oneself trap")
struct OperationCycleTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Dependencies

    Misuse("an operation depends on itself", says: "\"narcissus\"", "itself") {
      let operation = namedOperation("narcissus")
      operation.addDependency(operation)
    }
    for length in [2, 3, 7] {
      // The report comes once, and all of them run after one dependency is removed.
      Misuse(
        "\(length) operations of a queue depend on each other in a ring",
        reportsUntilReleased: "wait in their queues", "removeDependency",
        naming: (0..<length).map { "\"ring \($0)\"" }
      ) { threads in
        let queue = OperationQueue()
        let ring = (0..<length).map { namedOperation("ring \($0)") }
        for index in 1..<length { ring[index].addDependency(ring[index - 1]) }
        ring[0].addDependency(ring[length - 1])
        for operation in ring { queue.addOperation(operation) }
        threads.append(try PlainThread { queue.waitUntilAllOperationsAreFinished() })
        return { ring[0].removeDependency(ring[length - 1]) }
      }
    }
    Misuse(
      "operations of two queues depend on each other", reportsUntilReleased: "\"a of the cycle\"",
      "\"b of the cycle\"", "\"c of the cycle\"", "one of them is cancelled"
    ) { threads in
      let first = OperationQueue(), second = OperationQueue()
      let held = namedOperation("held")
      let a = namedOperation("a of the cycle"), b = namedOperation("b of the cycle"),
        c = namedOperation("c of the cycle")
      a.addDependency(held)
      b.addDependency(a)
      first.addOperation(a)
      second.addOperation(b)
      c.addDependency(b)
      first.addOperation(c)
      a.addDependency(c)
      second.addOperation(held)
      threads.append(try PlainThread { for one in [a, b, c] { one.waitUntilFinished() } })
      return { b.cancel() }
    }

    // MARK: Waits

    Misuse("an operation waits for itself", says: "\"narcissus\"", "itself", "would wait forever") {
      let queue = OperationQueue()
      queue.name = "mirrors"
      let operation = BlockOperation()
      operation.name = "narcissus"
      operation.addExecutionBlock { [unowned operation] in operation.waitUntilFinished() }
      queue.addOperation(operation)
      Trap.waitForIt()
    }
    Misuse(
      "an operation started by hand waits for itself", says: "\"narcissus\"", "itself",
      "would wait forever"
    ) {
      let operation = WaitingForItself()
      operation.name = "narcissus"
      operation.start()
    }
    for width in [1, 4] {
      // The barrier waits for the first operation, which waits for one behind the barrier.
      Misuse(
        "an operation is behind a barrier behind its waiter, in a queue of width \(width)",
        says: "deadlock", "\"last\"", "waits behind", "It can never"
      ) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        let last = namedOperation("last")
        queue.addOperation {
          queue.addBarrierBlock {}
          queue.addOperation(last)
          last.waitUntilFinished()
        }
        Trap.waitForIt()
      }
    }
    Misuse(
      "a barrier waits for an operation behind it", says: "deadlock", "\"last\"", "It can never"
    ) {
      let queue = OperationQueue()
      let last = namedOperation("last")
      queue.addBarrierBlock {
        queue.addOperation(last)
        last.waitUntilFinished()
      }
      Trap.waitForIt()
    }
    for width in [1, 4, -1] {
      Misuse(
        "an operation waits for its whole queue of width \(width)", says: "\"own tail\"",
        "would wait", "from outside"
      ) {
        let queue = OperationQueue()
        queue.name = "own tail"
        queue.maxConcurrentOperationCount = width
        queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
        Trap.waitForIt()
      }
    }
    Misuse(
      "a barrier waits for its whole queue", says: "\"own tail\"", "would wait", "from outside"
    ) {
      let queue = OperationQueue()
      queue.name = "own tail"
      queue.addBarrierBlock { queue.waitUntilAllOperationsAreFinished() }
      Trap.waitForIt()
    }
    // The inner operation runs on the same thread.
    Misuse(
      "an inner operation waits for the queue of the outer operation", says: "\"outer queue\"",
      "would wait", "from outside"
    ) {
      let queue = OperationQueue()
      queue.name = "outer queue"
      queue.addOperation {
        BlockOperation { queue.waitUntilAllOperationsAreFinished() }.start()
      }
      Trap.waitForIt()
    }

    // MARK: Properties of a queue

    for width in [-2, -100, Int.min] {
      Misuse(
        "an operation queue gets a width of \(width)", says: "\"narrow\"", "\(width)",
        "maxConcurrentOperationCount", "defaultMaxConcurrentOperationCount"
      ) {
        let queue = OperationQueue()
        queue.name = "narrow"
        queue.maxConcurrentOperationCount = width
      }
    }
    Misuse(
      "an operation queue with an operation gets another underlying queue", says: "\"rebuilt\"",
      "underlyingQueue", "1"
    ) {
      let queue = suspendedQueue("rebuilt")
      queue.addOperation(namedOperation("inhabitant"))
      let underlying = DispatchQueue(label: "dead.underlying")
      queue.underlyingQueue = underlying
    }
    Misuse(
      "a barrier gives its operation queue another underlying queue", says: "\"rebuilt\"",
      "underlyingQueue"
    ) {
      let queue = OperationQueue()
      queue.name = "rebuilt"
      let underlying = DispatchQueue(label: "dead.underlying")
      queue.addBarrierBlock { queue.underlyingQueue = underlying }
      Trap.waitForIt()
    }
  }

  // MARK: Dependencies

  /// A cycle that stands before its operations are added is no fault, and nothing is said.
  @Test func aCycleThatIsBrokenBeforeItMatters() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let queue = OperationQueue()
        let ran = EventCounter("operations that ran")
        for _ in 0..<200 {
          let ring = (0..<3).map { _ in BlockOperation { ran.increment() } }
          for index in 0..<3 { ring[index].addDependency(ring[(index + 1) % 3]) }
          // Longer than a cycle persists before it is reported.
          if ran.value == 0 { letRealTimePass(RealTime.settling * 10) }
          ring[1].removeDependency(ring[2])
          queue.addOperations(ring, waitUntilFinished: true)
        }
        exit(ran.value == 600 ? EXIT_SUCCESS : 2)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("SIGNALBOX"), "\(text)")
  }

  /// Each ends as another one's dependent, on several threads at the same time. Each round waits
  /// for threads that may come late: on a busy machine there are fewer.
  @Test func aCycleThatIsCancelledEnds() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let queues = (0..<3).map { _ in OperationQueue() }
        let end = Uptime.now() + RealTime.wedge * 0.25
        for round in 0..<2000 where Uptime.now() < end {
          let ring = (0..<3).map { _ in BlockOperation {} }
          if round % 2 == 0 { for one in ring { one.qualityOfService = .userInitiated } }
          for index in 0..<3 { ring[index].addDependency(ring[(index + 1) % 3]) }
          DispatchQueue.concurrentPerform(iterations: 3) { index in
            queues[index].addOperation(ring[index])
            ring[index].cancel()
          }
          for queue in queues { queue.waitUntilAllOperationsAreFinished() }
          ring[0].removeDependency(ring[1])
        }
        exit(EXIT_SUCCESS)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("SIGNALBOX"), "\(text)")
  }

  /// Many ways lead to one operation, and none back: it must neither trap nor take forever.
  @Test func severalPathsAreNotACycle() {
    let layers = 40
    var above = [namedOperation("top"), namedOperation("top")]
    for layer in 0..<layers {
      let next = [namedOperation("\(layer) left"), namedOperation("\(layer) right")]
      for one in next { for other in above { one.addDependency(other) } }
      above = next
    }
    let bottom = namedOperation("bottom")
    for one in above { bottom.addDependency(one) }
    #expect(bottom.dependencies.count == 2)
    #expect(!bottom.isReady)
  }

  /// An edge to what has finished, or that was removed, closes no cycle.
  @Test func finishedOperationsAreNotACycle() {
    let one = namedOperation("one"), other = namedOperation("other")
    one.start()
    one.addDependency(other)
    other.addDependency(one)
    #expect(other.isReady)
    let first = namedOperation("first"), second = namedOperation("second")
    first.addDependency(second)
    first.removeDependency(second)
    second.addDependency(first)
    #expect(first.isReady)
    #expect(!second.isReady)
  }
}

private final class WaitingForItself: Operation, @unchecked Sendable {
  // SAFETY: it adds nothing to `Operation`.
  override func main() { waitUntilFinished() }
}
