// Operations that could never become ready, and threads that wait for operations that
// cannot finish: the process says which, and ends.

import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite("cycles of operations and waits for oneself trap")
struct OperationCycleTests {
  // MARK: Dependencies

  @Test func aDependencyOnItself() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let operation = namedOperation("narcissus")
      operation.addDependency(operation)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"narcissus\"", "itself")
  }

  @Test(arguments: [2, 3, 7]) func aCycleIsFoundWithItsLastEdge(_ length: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [length] in
      Trap.arm()
      let ring = (0..<length).map { namedOperation("ring \($0)") }
      for place in 1..<length { ring[place].addDependency(ring[place - 1]) }
      StandardError.print("all but one")
      ring[0].addDependency(ring[length - 1])
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "circle", "take one of these dependencies away")
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.hasPrefix("all but one"))
    for place in 0..<length { #expect(text.contains("\"ring \(place)\""), "\(text)") }
  }

  @Test func aCycleOfQueuedOperationsOfSeveralQueues() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
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
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "circle", "\"a of the cycle\"", "\"b of the cycle\"",
      "\"c of the cycle\"")
  }

  /// Many ways lead to one operation, and none back: it must neither trap nor take for ever.
  @Test func manyWaysAreNoCycle() {
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
  @Test func whatIsOverIsNoCycle() {
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

  // MARK: Waits

  @Test func anOperationThatWaitsForItself() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = OperationQueue()
      queue.name = "mirrors"
      let operation = BlockOperation()
      operation.name = "narcissus"
      operation.addExecutionBlock { [unowned operation] in operation.waitUntilFinished() }
      queue.addOperation(operation)
      Trap.waitForIt()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"narcissus\"", "itself", "would wait for ever")
  }

  @Test func anOperationStartedByHandThatWaitsForItself() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let operation = WaitingForItself()
      operation.name = "narcissus"
      operation.start()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"narcissus\"", "itself", "would wait for ever")
  }

  @Test(arguments: [1, 4, -1])
  func anOperationThatWaitsForAllOfItsQueue(_ width: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [width] in
      Trap.arm()
      let queue = OperationQueue()
      queue.name = "own tail"
      queue.maxConcurrentOperationCount = width
      queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
      Trap.waitForIt()
    }
    Trap.expect(result?.standardErrorContent, says: "\"own tail\"", "would wait", "from outside")
  }

  @Test func aBarrierThatWaitsForAllOfItsQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = OperationQueue()
      queue.name = "own tail"
      queue.addBarrierBlock { queue.waitUntilAllOperationsAreFinished() }
      Trap.waitForIt()
    }
    Trap.expect(result?.standardErrorContent, says: "\"own tail\"", "would wait", "from outside")
  }

  /// The inner one runs on the same thread.
  @Test func anInnerOperationThatWaitsForTheOuterOnesQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = OperationQueue()
      queue.name = "outer queue"
      queue.addOperation {
        BlockOperation { queue.waitUntilAllOperationsAreFinished() }.start()
      }
      Trap.waitForIt()
    }
    Trap.expect(result?.standardErrorContent, says: "\"outer queue\"", "would wait", "from outside")
  }

  // MARK: Properties of a queue

  @Test(arguments: [-2, -100, Int.min]) func aNegativeWidth(_ width: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [width] in
      Trap.arm()
      let queue = OperationQueue()
      queue.name = "narrow"
      queue.maxConcurrentOperationCount = width
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"narrow\"", "\(width)",
      "maxConcurrentOperationCount", "defaultMaxConcurrentOperationCount")
  }

  @Test func changingTheUnderlyingQueueWithOperationsInIt() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = suspendedQueue("rebuilt")
      queue.addOperation(namedOperation("inhabitant"))
      let underlying = DispatchQueue(label: "dead.underlying")
      queue.underlyingQueue = underlying
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"rebuilt\"", "underlyingQueue", "1")
  }

  @Test func changingTheUnderlyingQueueWhileABarrierRuns() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = OperationQueue()
      queue.name = "rebuilt"
      let underlying = DispatchQueue(label: "dead.underlying")
      queue.addBarrierBlock { queue.underlyingQueue = underlying }
      Trap.waitForIt()
    }
    Trap.expect(result?.standardErrorContent, says: "\"rebuilt\"", "underlyingQueue")
  }
}

private final class WaitingForItself: Operation, @unchecked Sendable {
  // SAFETY: it adds nothing to `Operation`.
  override func main() { waitUntilFinished() }
}
