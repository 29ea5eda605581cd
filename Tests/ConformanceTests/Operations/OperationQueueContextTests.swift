// OperationQueueContextTests — where a queue's operations run: the current queue, the underlying
// queue, the main queue.

import CountedFacts
import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OperationQueueContextTests {
  // MARK: The current queue

  @Test func withinAnOperationTheCurrentQueueIsItsOwn() throws {
    let queue = OperationQueue(), seen = EventLog<OperationQueue?>()
    queue.addOperation { seen.append(OperationQueue.current) }
    queue.addOperation(BodyOperation { _ in seen.append(OperationQueue.current) })
    let several = BlockOperation { seen.append(OperationQueue.current) }
    several.addExecutionBlock { seen.append(OperationQueue.current) }
    queue.addOperation(several)
    queue.addOperation(
      ManualOperation {
        seen.append(OperationQueue.current)
        $0.finish()
      })
    queue.addBarrierBlock { seen.append(OperationQueue.current) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(seen.count == 6)
    #expect(seen.all.allSatisfy { $0 === queue })
  }

  @Test func outsideOfOperationsThereIsNoCurrentQueue() throws {
    #expect(try onPlainThread { OperationQueue.current == nil })
    let found = try onPlainThread {
      let seen = EventLog<Bool>()
      BodyOperation { _ in seen.append(OperationQueue.current == nil) }.start()
      return seen.all
    }
    #expect(found == [true])
  }

  @Test func workSubmittedByAnOperationIsNotInItsQueue() throws {
    let queue = OperationQueue.width(1), seen = EventLog<Bool>()
    queue.addOperation {
      DispatchQueue.global().async { seen.append(OperationQueue.current == nil) }
    }
    #expect(try seen.wait(forCount: 1) == [true])
    queue.waitUntilAllOperationsAreFinished()
    for _ in 0..<20 { DispatchQueue.global().async { seen.append(OperationQueue.current == nil) } }
    #expect(try seen.wait(forCount: 21).allSatisfy { $0 })
  }

  /// A thread that waits in `sync` may run earlier items in the meantime.
  @Test func workThatAWaitingOperationRunsForOthersIsNotInItsQueue() throws {
    let queue = OperationQueue(), strays = EventCounter("items in the operation's queue")
    let own = EventCounter("own items")
    queue.addOperation {
      let serial = DispatchQueue(label: "test.serial")
      let thread = kernelThreadNumber()
      let end = Uptime.now() + RealTime.wedge
      // A worker may take an item first. Then the round proves nothing.
      while own.value < 50 && Uptime.now() < end {
        serial.async {
          if kernelThreadNumber() != thread { return }
          own.increment()
          if OperationQueue.current != nil { strays.increment() }
        }
        serial.sync {}
      }
      #expect(OperationQueue.current === queue)
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(strays.value == 0)
  }

  @Test func anOperationStartedByHandIsInTheQueueOfItsStarter() throws {
    let queue = OperationQueue(), seen = EventLog<OperationQueue?>()
    queue.addOperation {
      BodyOperation { _ in seen.append(OperationQueue.current) }.start()
      seen.append(OperationQueue.current)
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(seen.count == 2)
    #expect(seen.all.allSatisfy { $0 === queue })
  }

  // MARK: The underlying queue

  /// Workers that wait in the previous underlying queue do not count.
  @Test func theCurrentQueueIsRightWhileWorkersWaitInAnother() throws {
    let queue = OperationQueue.width(1), key = DispatchSpecificKey<Int>()
    let before = DispatchQueue(label: "test.underlying")
    before.suspend()
    queue.underlyingQueue = before
    let operation = ManualOperation()
    queue.addOperation(operation)
    operation.finish()
    queue.waitUntilAllOperationsAreFinished()
    let seen = EventLog<Int>()
    for number in 0..<3 {
      let underlying = DispatchQueue(label: "test.underlying")
      underlying.setSpecific(key: key, value: number)
      for place in [underlying, nil] {
        queue.underlyingQueue = place
        queue.addOperation { seen.append(DispatchQueue.getSpecific(key: key) ?? -1) }
        queue.waitUntilAllOperationsAreFinished()
      }
    }
    #expect(seen.all == [0, -1, 1, -1, 2, -1])
    before.resume()
    before.sync {}
    queue.underlyingQueue = before
    queue.addOperation { seen.append(3) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(seen.count == 7)
  }

  @Test func theUnderlyingQueueReadsBack() {
    let queue = OperationQueue()
    let underlying = DispatchQueue(label: "test.underlying")
    queue.underlyingQueue = underlying
    #expect(queue.underlyingQueue === underlying)
    queue.addOperations([Operation()], waitUntilFinished: true)
    queue.underlyingQueue = nil
    #expect(queue.underlyingQueue == nil)
    let ran = EventCounter("runs")
    queue.addOperations([BodyOperation { _ in ran.increment() }], waitUntilFinished: true)
    #expect(ran.value == 1)
  }

  /// The queue keeps it even though the annotation says otherwise.
  @Test func aQueueKeepsItsUnderlyingQueue() throws {
    let watch = WeakWatch()
    let ran = EventCounter("runs")
    do {
      let queue = OperationQueue()
      do {
        let underlying = watch.watch(DispatchQueue(label: "test.underlying"))
        queue.underlyingQueue = underlying
      }
      #expect(watch.alive == 1)
      queue.addOperations([BodyOperation { _ in ran.increment() }], waitUntilFinished: true)
      #expect(ran.value == 1)
    }
    try watch.waitUntilAllAreFreed()
  }

  @Test func operationsRunOnTheUnderlyingQueue() throws {
    let key = DispatchSpecificKey<Int>()
    let seen = EventLog<Int?>()
    let queue = OperationQueue()
    let underlying = DispatchQueue(label: "test.underlying", attributes: .concurrent)
    underlying.setSpecific(key: key, value: 7)
    queue.underlyingQueue = underlying
    for _ in 0..<5 { queue.addOperation { seen.append(DispatchQueue.getSpecific(key: key)) } }
    queue.addBarrierBlock { seen.append(DispatchQueue.getSpecific(key: key)) }
    queue.addOperation {
      dispatchPrecondition(condition: .onQueue(underlying))
      seen.append(DispatchQueue.getSpecific(key: key))
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(seen.all == Array(repeating: 7, count: 7))
  }

  @Test func onASerialUnderlyingQueueOperationsTakeTurnsWithItems() throws {
    let underlying = DispatchQueue(label: "test.underlying")
    let queues = (0..<2).map { _ in OperationQueue() }
    for queue in queues { queue.underlyingQueue = underlying }
    let count = Unprotected(0)
    let inside = Occupancy()
    @Sendable func visit() {
      inside.enter()
      count.value += 1
      inside.leave()
    }
    for number in 0..<300 {
      queues[number % 2].addOperation(visit)
      underlying.async(execute: visit)
    }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
    underlying.sync {}
    #expect(count.value == 600)
    #expect(inside.most == 1)
  }

  @Test func onASerialUnderlyingQueueOperationsRunInTheOrderAdded() {
    let queue = OperationQueue()
    let underlying = DispatchQueue(label: "test.underlying")
    queue.underlyingQueue = underlying
    let log = EventLog<Int>()
    for number in 0..<200 { queue.addOperation { log.append(number) } }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all == Array(0..<200))
  }

  @Test func aSuspendedUnderlyingQueueStartsNothing() throws {
    let underlying = DispatchQueue(label: "test.underlying", attributes: .concurrent)
    let queue = OperationQueue()
    queue.underlyingQueue = underlying
    underlying.suspend()
    let ran = EventCounter("runs")
    for _ in 0..<5 { queue.addOperation { ran.increment() } }
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    underlying.resume()
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.value == 5)
  }

  @Test func aBarrierOfTheUnderlyingQueueWaitsForOperations() throws {
    let underlying = DispatchQueue(label: "test.underlying", attributes: .concurrent)
    let queue = OperationQueue()
    queue.underlyingQueue = underlying
    let isInside = Gate("inside"), mayEnd = Gate("end")
    let log = EventLog<String>()
    queue.addOperation {
      isInside.open()
      mayEnd.pass()
      log.append("operation")
    }
    try isInside.wait()
    underlying.async(flags: .barrier) { log.append("barrier") }
    letRealTimePass(RealTime.settling)
    #expect(log.count == 0)
    mayEnd.open()
    #expect(try log.wait(forCount: 2) == ["operation", "barrier"])
  }

  @Test func theWidthAppliesOnAnUnderlyingQueueToo() throws {
    let queue = OperationQueue.width(2)
    let underlying = DispatchQueue(label: "test.underlying", attributes: .concurrent)
    queue.underlyingQueue = underlying
    let inside = Occupancy()
    let gate = Gate(), entered = EventCounter("inside")
    for _ in 0..<6 {
      queue.addOperation {
        inside.enter()
        entered.increment()
        gate.pass()
        inside.leave()
      }
    }
    try entered.wait(for: 2)
    letRealTimePass(RealTime.settling)
    gate.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(inside.most == 2)
    #expect(inside.entered == 6)
  }

  // MARK: The main queue; a program with a free main thread tests what runs there

  @Test func theMainQueueIsOneAndSerial() {
    let main = OperationQueue.main
    #expect(main === OperationQueue.main)
    #expect(main.maxConcurrentOperationCount == 1)
    #expect(main.name == "NSOperationQueue Main Queue")
    #expect(main.qualityOfService == .userInteractive)
    #expect(main.underlyingQueue === DispatchQueue.main)
    #expect(!main.isSuspended)
  }

  @Test func operationsOfTheMainQueueRunOnTheMainThread() throws {
    let outcome = try ChildProgram.run(
      OperationMainQueueScenario.operationsOnTheMainQueue)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    let facts = outcome.facts
    #expect(facts["outside"] == "main", "the current queue of the main thread")
    #expect(facts["ran"] == "60")
    #expect(facts["inOrder"] == "true")
    #expect(facts["onTheMainThread"] == "60")
    #expect(facts["inTheMainQueue"] == "60")
    #expect(facts["beforeTheLoop"] == "0")
    #expect(facts["betweenItsItems"] == "true")
  }
}
