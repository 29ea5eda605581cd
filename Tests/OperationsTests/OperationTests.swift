// OperationTests — operations inside their module: phases, classes, and withdrawal.

import SignalboxRuntime
import SignalboxTestSupport
import Testing

@testable import SignalboxOperations

@Suite(.guarded) struct OperationTests {
  /// An operation whose readiness the test controls.
  // SAFETY: its state is guarded.
  private final class GatedOperation: Operation, @unchecked Sendable {
    private let mayBegin = Guarded(false)
    let asked = EventCounter("questions whether it is ready")

    override var isReady: Bool {
      asked.increment()
      return mayBegin.current && super.isReady
    }

    func open() {
      mayBegin.withValue { $0 = true }
      didChangeValue(for: \.isReady)
    }
  }

  /// An operation that says it is ready although it waits for others, and counts how often it is asked.
  // SAFETY: its state is guarded.
  private final class HastyOperation: Operation, @unchecked Sendable {
    let asked = EventCounter("questions whether it is ready")

    override var isReady: Bool {
      asked.increment()
      return true
    }
  }

  /// The queue neither begins it before its dependency ends, nor asks it again and again.
  @Test func anOperationThatSaysItIsReadyWaitsForItsDependenciesAllTheSame() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let gate = Gate("the dependency's end")
    let order = EventLog<String>()
    let slow = BlockOperation {
      gate.pass()
      order.append("slow")
    }
    let hasty = HastyOperation()
    hasty.queuePriority = .high
    hasty.addDependency(slow)
    let ended = Gate("the completion block of the hasty operation")
    hasty.completionBlock = {
      order.append("hasty")
      ended.open()
    }
    queue.addOperation(hasty)
    queue.addOperation(slow)
    let asked = hasty.asked.value
    #expect(asked < 10)
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
    try ended.wait()
    #expect(order.all == ["slow", "hasty"])
    #expect(hasty.asked.value < 20)
  }

  /// A dependent whose readiness, when it is asked for, changes the priority of the operation that it
  /// waits for.
  // SAFETY: the properties that it adds to `Operation` are immutable.
  private final class MeddlingOperation: Operation, @unchecked Sendable {
    private let other: Operation
    init(_ other: Operation) {
      self.other = other
      super.init()
    }

    override var isReady: Bool {
      other.queuePriority = .veryHigh
      return super.isReady
    }
  }

  /// The operation ends before it begins, so it is in a line of its queue when its priority changes.
  @Test func aPriorityThatChangesWhileAnOperationEndsHarmsNoLine() throws {
    let queue = OperationQueue()
    queue.isSuspended = true
    let early = EarlyOperation()
    let behind = BlockOperation()
    let dependent = MeddlingOperation(early)
    dependent.addDependency(early)
    queue.addOperations([early, behind, dependent], waitUntilFinished: false)
    early.finish()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(behind.isFinished && dependent.isFinished)
    #expect(queue.operationCount == 0)
  }

  /// An operation that reports its end before a worker has begun it, as many subclasses do when they
  /// are cancelled.
  // SAFETY: its state is guarded.
  private final class EarlyOperation: Operation, @unchecked Sendable {
    private let ended = Guarded(false)

    override var isAsynchronous: Bool { true }
    override var isFinished: Bool { ended.current }

    func finish() {
      willChangeValue(for: \.isFinished)
      ended.withValue { $0 = true }
      didChangeValue(for: \.isFinished)
    }
  }

  @Test func phasesOfAnOperationStartedByHand() {
    let phases = EventLog<OperationPhase>()
    let operation = BlockOperation()
    operation.addExecutionBlock { [unowned operation] in phases.append(operation.phase) }
    phases.append(operation.phase)
    operation.start()
    phases.append(operation.phase)
    operation.start()
    #expect(phases.all == [.new, .executing, .finished])
  }

  @Test func subclassThatBecomesReadyIsAskedAgain() {
    let queue = OperationQueue()
    let operation = GatedOperation()
    queue.addOperation(operation)
    #expect(operation.phase == .enqueued)
    #expect(!operation.isOffered)
    #expect(operation.asked.value == 1)
    operation.open()
    operation.waitUntilFinished()
    #expect(operation.phase == .finished)
  }

  /// The operation is in a line already when it must wait again.
  @Test func lateDependencyTakesTheOperationOutOfTheLine() {
    let queue = OperationQueue()
    queue.isSuspended = true
    let (first, second) = (BlockOperation {}, BlockOperation {})
    queue.addOperation(second)
    #expect(second.isOffered)
    second.addDependency(first)
    queue.isSuspended = false
    let other = BlockOperation {}
    queue.addOperation(other)
    other.waitUntilFinished()
    #expect(!second.isFinished)
    first.start()
    second.waitUntilFinished()
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.running == 0)
  }

  @Test func classIsTheHighestOfItsOwnItsQueuesAndItsDependents() {
    let queue = OperationQueue()
    queue.isSuspended = true
    queue.qualityOfService = .utility
    let (low, middle, high) = (BlockOperation {}, BlockOperation {}, BlockOperation {})
    low.qualityOfService = .background
    high.qualityOfService = .userInitiated
    middle.addDependency(low)
    high.addDependency(middle)
    queue.addOperation(low)
    #expect(low.band == .background)
    queue.addOperation(middle)
    #expect(middle.band == .utility)
    #expect(low.band == .utility)
    queue.addOperation(high)
    #expect([low, middle, high].map(\.band) == [.userInitiated, .userInitiated, .userInitiated])
    #expect(low.qualityOfService == .background)
    high.qualityOfService = .userInteractive
    #expect(low.band == .userInteractive)
    queue.cancelAllOperations()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }

  /// An urgent operation does not wait for a worker that may come late, if the width allows it.
  @Test func urgentOperationOvertakesOthersIfTheWidthAllows() {
    for (width, passes) in [(-1, true), (3, true), (2, false)] {
      let queue = OperationQueue()
      queue.isSuspended = true
      queue.maxConcurrentOperationCount = width
      let slow = [BlockOperation {}, BlockOperation {}]
      let urgent = BlockOperation {}
      for operation in slow {
        operation.qualityOfService = .background
        operation.queuePriority = .high
        queue.addOperation(operation)
      }
      urgent.qualityOfService = .userInteractive
      queue.addOperation(urgent)
      queue.lock.lock()
      queue.isHalted = false
      _ = queue.workersToSend()
      #expect(queue.plan.pointee.sent.bands.contains(.background))
      #expect(queue.plan.pointee.sent.bands.contains(.userInteractive) == passes, "\(width)")
      // No worker was sent.
      queue.plan.pointee.sent = SentWorkers()
      queue.lock.unlock()
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  /// The same as if no class had been set before.
  @Test func loweredOperationKeepsTheClassOfItsDependents() {
    let queue = OperationQueue(), lower = OperationQueue()
    for queue in [queue, lower] { queue.isSuspended = true }
    lower.qualityOfService = .background
    let late = BlockOperation {}, moved = BlockOperation {}, dependent = BlockOperation {}
    for operation in [late, moved] { dependent.addDependency(operation) }
    queue.addOperation(late)
    queue.addOperation(dependent)
    for operation in [late, moved] { operation.lock.withLock { operation.raisedBand = nil } }
    late.qualityOfService = .background
    lower.addOperation(moved)
    #expect(late.lock.withLock { late.band } == .standard)
    #expect(moved.lock.withLock { moved.band } == .standard)
    for queue in [queue, lower] { queue.isSuspended = false }
    for queue in [queue, lower] { queue.waitUntilAllOperationsAreFinished() }
  }

  /// The operation reported that it is ready. It was taken out, and at just that moment begins
  /// to wait for another operation, so it is not ready any more.
  @Test func returnedOperationIsCheckedAgain() {
    // SAFETY: its state is guarded.
    final class Hesitant: Operation, @unchecked Sendable {
      let isWilling = Guarded(true)
      override var isReady: Bool { super.isReady && isWilling.current }
    }
    let queue = OperationQueue(), operation = Hesitant()
    queue.isSuspended = true
    queue.addOperation(operation)
    queue.lock.withLock {
      queue.plan.pointee.unlink(operation)
      queue.running += 1
      operation.isRunning = true
      operation.isBeingStarted = true
    }
    operation.isWilling.withValue { $0 = false }
    queue.giveBack(operation)
    #expect(queue.lock.withLock { !operation.isLinked && queue.running == 0 })
    operation.isWilling.withValue { $0 = true }
    operation.didChangeValue(forKey: "isReady")
    #expect(queue.lock.withLock { operation.isLinked })
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }

  /// The queue sees the subclass's state before it is notified; the notification does not count
  /// a second time.
  @Test func finishThatTheQueueHasSeenIsReportedOnce() {
    // SAFETY: its state is guarded.
    final class Quiet: Operation, @unchecked Sendable {
      private let isOver = Guarded(false)
      override var isFinished: Bool { isOver.current }
      override func start() { isOver.withValue { $0 = true } }
    }
    let operation = Quiet()
    OperationQueue().addOperation(operation)
    operation.waitUntilFinished()
    #expect(operation.phase == .finished)
    operation.didChangeValue(forKey: "isFinished")
  }

  @Test func queueKeepsItselfWhileItHasOperations() throws {
    let queues = WeakWatch()
    let gate = Gate("the operation")
    let ran = EventCounter("operations")
    func begin() -> Operation {
      let queue = queues.watch(OperationQueue())
      let first = BlockOperation { gate.pass() }
      let second = BlockOperation { ran.increment() }
      second.addDependency(first)
      queue.addOperation(first)
      queue.addOperation(second)
      return second
    }
    let last = begin()
    #expect(queues.alive == 1)
    gate.open()
    last.waitUntilFinished()
    try ran.wait(for: 1)
    try queues.waitUntilAllAreFreed()
  }

  @Test func operationInFlightIsNamedInTheReport() throws {
    let finish = Guarded<(@Sendable () -> Void)?>(nil)
    let operation = AsynchronousOperation { end in finish.withValue { $0 = end } }
    operation.name = "telegram"
    OperationQueue().addOperation(operation)
    #expect(finish.wait(limit: RealTime.wedge) { $0 != nil })
    let limit = Uptime.now() + RealTime.wedge
    while !BlockedReport.text().contains("telegram") && Uptime.now() < limit {
      Thread.sleep(forTimeInterval: 0.001)
    }
    #expect(BlockedReport.text().contains("the operation \"telegram\" (AsynchronousOperation)"))
    finish.current?()
    operation.waitUntilFinished()
    #expect(!BlockedReport.text().contains("telegram"))
    finish.withValue { $0 = nil }
  }

  @Test func monitorWrapsEveryMainExceptABarriers() {
    let queue = OperationQueue()
    let log = EventLog<String>()
    queue.set(
      OperationMonitor { operation, work in
        log.append("before \(operation.name ?? "")")
        work()
        log.append("after \(operation.name ?? "")")
      })
    let operation = BlockOperation { log.append("work") }
    operation.name = "one"
    queue.addOperation(operation)
    queue.addBarrierBlock { log.append("barrier") }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == ["before one", "work", "after one", "barrier"])
  }
}
