// BridgeTests — queues of the toolchain's types whose work runs on ours, and the other way round.

import SignalboxFoundation
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct BridgeTests {
  // MARK: Foundation's operations on ours

  @Test func operationsOfFoundationsRunOnOurQueue() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let bridge = FoundationOperationQueue(runningOn: queue)
    #expect(bridge.maxConcurrentOperationCount == 1)
    let log = EventLog<Int>()
    for number in 0..<20 {
      if number.isMultiple(of: 2) {
        let block: @Sendable () -> Void = {
          #expect(OperationQueue.current === queue)
          log.append(number)
        }
        bridge.addOperation(Foundation.BlockOperation(block: block))
      } else {
        queue.addOperation { log.append(number) }
      }
    }
    bridge.waitUntilAllOperationsAreFinished()
    #expect(log.all == Array(0..<20))
    #expect(queue.operations.isEmpty)
  }

  /// Receives a dependency just when its queue has found it ready.
  // SAFETY: `other` and `log` never change, `isAdded` is guarded.
  private final class LateDependent: Operation, @unchecked Sendable {
    let other: Operation
    let log: EventLog<Int>
    private let isAdded = Guarded(false)

    init(on other: Operation, _ log: EventLog<Int>) {
      self.other = other
      self.log = log
    }

    override var isReady: Bool {
      let isReady = super.isReady
      let isFirst = isAdded.withValue { isAdded in
        defer { isAdded = true }
        return !isAdded
      }
      if isFirst { addDependency(other) }
      return isReady
    }

    override func main() { log.append(2) }
  }

  @Test func aDependencyAddedExactlyAtTheStartIsWaitedFor() throws {
    let log = EventLog<Int>()
    let other = BlockOperation { log.append(1) }
    let dependent = LateDependent(on: other, log)
    let queue = ForwardingOperationQueue(to: Foundation.OperationQueue())
    queue.addOperation(dependent)
    // The queue has checked it, and it waits.
    #expect(waitForTheOther(dependent))
    #expect(log.all == [])
    queue.addOperation(other)
    dependent.waitUntilFinished()
    #expect(log.all == [1, 2])
    queue.waitUntilAllOperationsAreFinished()
  }

  private func waitForTheOther(_ dependent: Operation) -> Bool {
    while dependent.dependencies.isEmpty { Thread.sleep(forTimeInterval: 0.001) }
    return !dependent.isReady
  }

  @Test func dependenciesAddedDuringStartsAreHarmless() throws {
    let queue = ForwardingOperationQueue(to: Foundation.OperationQueue())
    let ran = Guarded(0)
    for _ in 0..<200 {
      let other = BlockOperation { ran.withValue { $0 += 1 } }
      let dependent = BlockOperation { ran.withValue { $0 += 1 } }
      queue.addOperation(dependent)
      dependent.addDependency(other)
      queue.addOperation(other)
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.current == 400)
  }

  @Test func dependenciesOfFoundationsAcrossQueuesAreWaitedFor() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let bridge = FoundationOperationQueue(runningOn: queue)
    let theirs = Foundation.OperationQueue()
    let log = EventLog<Int>()
    let gate = Gate("the first operation")
    let first = Foundation.BlockOperation {
      try? gate.wait()
      log.append(1)
    }
    let second = Foundation.BlockOperation { log.append(2) }
    let third = Foundation.BlockOperation { log.append(3) }
    second.addDependency(first)
    third.addDependency(second)
    // In this order a width of one would deadlock if waiting operations counted.
    bridge.addOperation(third)
    bridge.addOperation(second)
    theirs.addOperation(first)
    bridge.addOperation { log.append(0) }
    try log.wait(forCount: 1)
    gate.open()
    bridge.waitUntilAllOperationsAreFinished()
    third.waitUntilFinished()
    #expect(log.all == [0, 1, 2, 3])
  }

  /// Reports its own end, as Foundation's subclasses do.
  // SAFETY: `phase` is guarded.
  private final class Later: Foundation.Operation, @unchecked Sendable {
    private let phase = Guarded(0)
    let begun = Gate("the operation")

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { phase.current == 1 }
    override var isFinished: Bool { phase.current == 2 }

    override func start() {
      change(to: 1, "isExecuting")
      begun.open()
    }

    func finish() { change(to: 2, "isFinished") }

    private func change(to new: Int, _ key: String) {
      willChangeValue(forKey: key)
      phase.withValue { $0 = new }
      didChangeValue(forKey: key)
    }
  }

  @Test func anAsynchronousOperationOfFoundationsKeepsItsPlaceUntilItIsFinished() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let bridge = FoundationOperationQueue(runningOn: queue)
    let later = Later()
    let log = EventLog<Int>()
    bridge.addOperation(later)
    bridge.addOperation { log.append(1) }
    try later.begun.wait()
    #expect(queue.operationCount == 2)
    #expect(log.count == 0)
    later.finish()
    try log.wait(forCount: 1)
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test func cancelledOperationsOfFoundationsFinishWithoutRunning() throws {
    let queue = OperationQueue()
    queue.isSuspended = true
    let bridge = FoundationOperationQueue(runningOn: queue)
    #expect(bridge.isSuspended)
    let log = EventLog<Int>()
    let done = Gate("the completion block")
    let operation = Foundation.BlockOperation { log.append(1) }
    operation.completionBlock = { done.open() }
    bridge.addOperation(operation)
    bridge.cancelAllOperations()
    bridge.isSuspended = false
    bridge.waitUntilAllOperationsAreFinished()
    #expect(operation.isCancelled)
    #expect(operation.isFinished)
    #expect(log.all == [])
    try done.wait()
  }

  @Test func barriersOfEitherTypeHoldForBoth() throws {
    let queue = OperationQueue()
    let bridge = FoundationOperationQueue(runningOn: queue)
    let log = EventLog<Int>()
    for _ in 0..<8 { bridge.addOperation(Foundation.BlockOperation { log.append(1) }) }
    bridge.addBarrierBlock { log.append(2) }
    for _ in 0..<8 { queue.addOperation { log.append(3) } }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == Array(repeating: 1, count: 8) + [2] + Array(repeating: 3, count: 8))
  }

  // MARK: Ours on Foundation's

  @Test func operationsOfOursRunOnFoundationsQueue() throws {
    let theirs = Foundation.OperationQueue()
    theirs.maxConcurrentOperationCount = 1
    let queue = ForwardingOperationQueue(to: theirs)
    let log = EventLog<Int>()
    for number in 0..<20 {
      queue.addOperation {
        #expect(Foundation.OperationQueue.current === theirs)
        log.append(number)
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == Array(0..<20))
  }

  @Test func dependenciesOfOursAcrossQueuesAreWaitedFor() throws {
    let theirs = Foundation.OperationQueue()
    theirs.maxConcurrentOperationCount = 1
    let queue = ForwardingOperationQueue(to: theirs)
    let ours = OperationQueue()
    let log = EventLog<Int>()
    let first = AsynchronousOperation { finish in
      log.append(1)
      DispatchQueue.global().async { finish() }
    }
    let second = BlockOperation { log.append(2) }
    let third = BlockOperation { log.append(3) }
    second.addDependency(first)
    third.addDependency(second)
    queue.addOperation(third)
    queue.addOperation(second)
    #expect(queue.operations.count == 2)
    ours.addOperation(first)
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == [1, 2, 3])
    theirs.waitUntilAllOperationsAreFinished()
  }

  @Test func ourAsynchronousOperationKeepsItsPlaceInFoundationsQueue() throws {
    let theirs = Foundation.OperationQueue()
    theirs.maxConcurrentOperationCount = 1
    let queue = ForwardingOperationQueue(to: theirs)
    let finish = Guarded<(@Sendable () -> Void)?>(nil)
    let log = EventLog<Int>()
    queue.addOperation(
      AsynchronousOperation { end in
        finish.withValue { $0 = end }
      })
    queue.addOperation { log.append(1) }
    _ = finish.wait(limit: RealTime.wedge) { $0 != nil }
    #expect(log.count == 0)
    finish.withValue {
      $0?()
      $0 = nil
    }
    try log.wait(forCount: 1)
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test func cancelledOperationsOfOursFinishWithoutRunning() throws {
    let theirs = Foundation.OperationQueue()
    theirs.isSuspended = true
    let queue = ForwardingOperationQueue(to: theirs)
    let log = EventLog<Int>()
    let operation = BlockOperation { log.append(1) }
    queue.addOperation(operation)
    queue.cancelAllOperations()
    theirs.isSuspended = false
    operation.waitUntilFinished()
    #expect(log.all == [])
  }

  /// The width is one, so the queue would deadlock if the waiting operation counted.
  @Test func aDependencyThatIsAddedInTheQueueIsWaitedFor() throws {
    let theirs = Foundation.OperationQueue()
    theirs.maxConcurrentOperationCount = 1
    theirs.isSuspended = true
    let queue = ForwardingOperationQueue(to: theirs)
    let log = EventLog<Int>()
    let first = BlockOperation { log.append(1) }
    let second = BlockOperation { log.append(2) }
    let third = BlockOperation { log.append(3) }
    queue.addOperation(third)
    third.addDependency(second)
    queue.addOperation(second)
    second.addDependency(first)
    queue.addOperation(first)
    theirs.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == [1, 2, 3])
  }

  @Test func operationsOfOursThatFoundationsQueueCancelsDoNotRun() throws {
    let theirs = Foundation.OperationQueue()
    theirs.isSuspended = true
    let queue = ForwardingOperationQueue(to: theirs)
    let log = EventLog<Int>()
    let operation = BlockOperation { log.append(1) }
    queue.addOperation(operation)
    theirs.cancelAllOperations()
    theirs.isSuspended = false
    operation.waitUntilFinished()
    #expect(operation.isCancelled)
    #expect(log.all == [])
  }

  /// Uses its queue when it is asked whether it is ready.
  // SAFETY: `queue` is set before the operation is added, and never afterwards.
  private final class Curious: SignalboxOperations.Operation, @unchecked Sendable {
    weak var queue: ForwardingOperationQueue?

    override var isFinished: Bool {
      _ = queue?.operationCount
      return super.isFinished
    }
  }

  @Test func anOperationMayAskTheQueueThatWaitsForIt() throws {
    let queue = ForwardingOperationQueue(to: Foundation.OperationQueue())
    let operation = Curious()
    operation.queue = queue
    queue.addOperation(operation)
    queue.waitUntilAllOperationsAreFinished()
    #expect(operation.isFinished)
  }

  // MARK: The toolchain's queue on ours

  @Test func itemsOfTheToolchainsQueueAreItemsOfOurs() throws {
    let queue = DispatchQueue(label: "org.signalbox.state")
    let theirs = try #require(queue.makeToolchainQueue(label: "org.signalbox.theirs"))
    let log = EventLog<Int>()
    try runThreads(4) { thread in
      for step in 0..<200 {
        theirs.async {
          dispatchPrecondition(condition: .onQueue(queue))
          Dispatch.dispatchPrecondition(condition: .onQueue(theirs))
          log.append(thread * 1000 + step)
        }
      }
    }
    // On the thread that made it, and on others.
    #expect(theirs.sync { log.count } == 800)
    try onPlainThread { #expect(theirs.sync { 5 } == 5) }
    for thread in 0..<4 {
      #expect(
        log.all.filter { $0 / 1000 == thread } == (0..<200).map { thread * 1000 + $0 })
    }
  }

  @Test func theirItemsAndOursNeverRunConcurrently() throws {
    let queue = DispatchQueue(label: "org.signalbox.state")
    let theirs = try #require(queue.makeToolchainQueue(label: "org.signalbox.theirs"))
    let count = Guarded(0)
    // SAFETY: used by items of the serial queue only, which is what the test checks.
    nonisolated(unsafe) var inside = 0
    let work: @Sendable () -> Void = {
      inside += 1
      #expect(inside == 1)
      inside -= 1
      count.withValue { $0 += 1 }
    }
    for _ in 0..<500 {
      theirs.async(execute: work)
      queue.async(execute: work)
    }
    #expect(count.wait(limit: RealTime.wedge) { $0 == 1000 })
  }

  @Test func theirQueueWaitsWhileOursIsSuspended() throws {
    let queue = DispatchQueue(label: "org.signalbox.state")
    let theirs = try #require(queue.makeToolchainQueue(label: "org.signalbox.theirs"))
    let log = EventLog<Int>()
    queue.suspend()
    theirs.async { log.append(1) }
    let after = Gate("an item of another queue")
    Dispatch.DispatchQueue.global().async { after.open() }
    try after.wait()
    #expect(log.count == 0)
    queue.resume()
    try log.wait(forCount: 1)
  }

  @Test func theToolchainsFeaturesOnQueuesWork() throws {
    let queue = DispatchQueue(label: "org.signalbox.state")
    let theirs = try #require(queue.makeToolchainQueue(label: "org.signalbox.theirs"))
    let log = EventLog<String>()
    theirs.asyncAfter(deadline: .now() + .milliseconds(5)) { log.append("after") }
    try log.wait(forCount: 1)
    let timer = Dispatch.DispatchSource.makeTimerSource(queue: theirs)
    timer.setEventHandler { log.append("timer") }
    timer.schedule(deadline: .now())
    timer.resume()
    try log.wait(forCount: 2)
    timer.cancel()
    let group = Dispatch.DispatchGroup()
    theirs.async(group: group) { log.append("member") }
    group.notify(queue: theirs) { log.append("notify") }
    try log.wait(forCount: 4)
    let inner = Dispatch.DispatchQueue(label: "inner", target: theirs)
    inner.async {
      dispatchPrecondition(condition: .onQueue(queue))
      log.append("inner")
    }
    try log.wait(forCount: 5)
    #expect(log.all == ["after", "timer", "member", "notify", "inner"])
  }

  @Test func theirQueueIsFreedWithItsLastReference() throws {
    let tracker = LeakTracker()
    let queue = DispatchQueue(label: "org.signalbox.state")
    let before = descriptors()
    for _ in 0..<200 {
      let object = tracker.makeObject()
      let theirs = try #require(queue.makeToolchainQueue(label: "org.signalbox.theirs"))
      theirs.sync { object.touch() }
    }
    try tracker.waitUntilAllAreFreed()
    let end = Uptime.now() + RealTime.wedge
    // Libdispatch frees a queue on a thread of its own. Other tests open descriptors in
    // between.
    while descriptors() >= before + 200 {
      guard Uptime.now() < end else { throw Wedge.found("descriptors are not given back") }
      letRealTimePass(.milliseconds(1))
    }
  }

  // MARK: Deadlocks through a bridge

  @Test(arguments: [
    ("sync-from-an-item-of-the-bridged-queue", ["\"org.signalbox.own\"", "that thread itself"]),
    (
      "sync-from-the-main-thread-onto-a-bridge-to-main",
      ["com.apple.main-thread", "the main thread"]
    ),
    ("sync-onto-what-has-the-bridge-as-its-target", ["\"org.signalbox.own\""]),
    (
      "sync-around-through-a-bridge",
      ["\"org.signalbox.own\"", "waits in sync, for the queue \"org.signalbox.other\""]
    ),
  ])
  func aDeadlockThroughABridgeIsReported(_ scenario: String, _ words: [String]) throws {
    let outcome = try ChildProgram("FoundationFacts").run([scenario])
    try #require(outcome.exit == .code(0), "\(outcome.exit): \(outcome.standardError)")
    let text = try #require(outcome.facts["deadlock"])
    for word in words + ["deadlock: ", "\"org.signalbox.theirs\"", "sync of the toolchain,"] {
      #expect(text.contains(word), "\(text)")
    }
  }

  @Test func waitsThroughABridgeThatEndAreNotDeadlocks() throws {
    let outcome = try ChildProgram("FoundationFacts").run(["waits-through-a-bridge-that-end"])
    try #require(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["reports"] == "0")
  }

  // MARK: Misuse

  @Test(arguments: [
    ("underlying-queue-of-a-foundation-queue", "FoundationOperationQueue"),
    ("underlying-queue-of-a-forwarding-queue", "ForwardingOperationQueue"),
  ])
  func aBridgeThatIsGivenAnUnderlyingQueueTraps(_ scenario: String, _ name: String) throws {
    let outcome = try ChildProgram("FoundationFacts").run([scenario])
    #expect(outcome.exit != .code(0))
    #expect(outcome.standardError.contains("BUG IN CLIENT OF SIGNALBOX: underlyingQueue"))
    #expect(outcome.standardError.contains("org.signalbox.mistake"))
    #expect(outcome.standardError.contains(name))
  }

  private func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}
