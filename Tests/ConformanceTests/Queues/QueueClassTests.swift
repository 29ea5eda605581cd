// QueueClassTests — D32: queue classes that say what the queues are.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct QueueClassTests {
  @Test func aSerialQueueRunsOneAtATimeInOrder() throws {
    let queue: DispatchQueue = DispatchSerialQueue(label: "test.serial", qos: .utility)
    #expect(queue.label == "test.serial" && queue.qos == .utility)
    let log = EventLog<Int>()
    for number in 0..<100 { queue.async { log.append(number) } }
    #expect(try log.wait(forCount: 100) == Array(0..<100))
  }

  @Test func aConcurrentQueueRunsItemsConcurrently() throws {
    let queue: DispatchQueue = DispatchConcurrentQueue(label: "test.concurrent")
    let arrivals = EventCounter("arrivals")
    for _ in 0..<2 {
      queue.async {
        arrivals.increment()
        arrivals.pass(2)
      }
    }
    try arrivals.wait(for: 2)
    #expect(queue.sync(flags: .barrier) { arrivals.value } == 2)
  }

  @Test func eachCanBeMadeInactiveAndGivenATarget() throws {
    let target = DispatchQueue(label: "test.target")
    let queues = [
      DispatchSerialQueue(
        label: "test.serial", qos: .default, attributes: .initiallyInactive,
        autoreleaseFrequency: .never, target: target),
      DispatchConcurrentQueue(
        label: "test.concurrent", qos: .default, attributes: .initiallyInactive,
        autoreleaseFrequency: .inherit, target: target),
      DispatchWorkloop(
        label: "test.workloop", attributes: .initiallyInactive, autoreleaseFrequency: .workItem),
    ]
    for queue in queues {
      let ran = EventCounter("items")
      queue.async { ran.increment() }
      queue.activate()
      queue.activate()
      try ran.wait(for: 1)
      if !(queue is DispatchWorkloop) {
        queue.sync { dispatchPrecondition(condition: .onQueue(target)) }
      }
    }
  }

  @Test func classesAreDistinguishable() {
    #expect((DispatchSerialQueue(label: "a") as DispatchQueue) is DispatchSerialQueue)
    #expect(!((DispatchSerialQueue(label: "a") as DispatchQueue) is DispatchConcurrentQueue))
    #expect((DispatchWorkloop(label: "a") as DispatchQueue) is DispatchWorkloop)
  }
}
