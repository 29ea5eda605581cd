// TargetHierarchyTests — queues that run on others, in every combination.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct TargetHierarchyTests {
  /// The kinds of target.
  enum Root: CaseIterable {
    case serial, concurrent, workloop, global, serialOnConcurrent, concurrentOnSerial

    func make() -> DispatchQueue {
      switch self {
      case .serial: DispatchQueue(label: "root.serial")
      case .concurrent: DispatchQueue(label: "root.concurrent", attributes: .concurrent)
      case .workloop: DispatchWorkloop(label: "root.workloop")
      case .global: .global(qos: .userInitiated)
      case .serialOnConcurrent:
        DispatchQueue(
          label: "root.serial", target: DispatchQueue(label: "root", attributes: .concurrent))
      case .concurrentOnSerial:
        DispatchQueue(
          label: "root.concurrent", attributes: .concurrent, target: DispatchQueue(label: "root"))
      }
    }

    var isSerial: Bool { self != .concurrent && self != .global }
  }

  @Test func everythingRunsOnceAndInOrderOnEveryMixture() throws {
    try withEvery("root", in: Root.allCases) { root in
      let target = root.make()
      let serial = DispatchQueue(label: "test.serial", target: target)
      let concurrent = DispatchQueue(
        label: "test.concurrent", attributes: .concurrent, target: target)
      let log = EventLog<Int>()
      let ran = EventCounter("items of the concurrent queue")
      for number in 0..<100 {
        serial.async { log.append(number) }
        concurrent.async { ran.increment() }
        if number % 10 == 0 {
          concurrent.async(flags: .barrier) { ran.increment() }
          #expect(concurrent.sync { 1 } + serial.sync { 1 } == 2)
        }
      }
      let found = try log.wait(forCount: 100)
      #expect(found == Array(0..<100))
      try ran.wait(for: 110)
      concurrent.sync(flags: .barrier) { #expect(ran.value == 110) }
    }
  }

  @Test func onASerialRootNothingRunsConcurrently() throws {
    try withEvery("root", in: Root.allCases.filter(\.isSerial)) { root in
      let target = root.make()
      let queues = [
        DispatchQueue(label: "test.a", target: target),
        DispatchQueue(label: "test.b", attributes: .concurrent, target: target),
        DispatchQueue(
          label: "test.c", attributes: .concurrent,
          target: DispatchQueue(label: "test.d", attributes: .concurrent, target: target)),
      ]
      let value = Unprotected(0)
      let ran = EventCounter("items")
      try runThreads(3) { thread in
        for number in 0..<100 {
          let queue = queues[(thread + number) % 3]
          switch number % 4 {
          case 0: queue.sync { value.value += 1 }
          case 1: queue.sync(flags: .barrier) { value.value += 1 }
          default:
            queue.async(flags: number % 4 == 2 ? .barrier : []) {
              value.value += 1
              ran.increment()
            }
          }
        }
      }
      try ran.wait(for: 150)
      #expect(queues[0].sync { value.value } == 300)
    }
  }

  @Test(.enabled(if: processorCount >= 2, "items run side by side on two processors"))
  func onAConcurrentRootQueuesRunConcurrently() throws {
    let root = DispatchQueue(label: "test.root", attributes: .concurrent)
    let arrivals = EventCounter("items")
    for name in ["a", "b"] {
      DispatchQueue(label: name, target: root).async {
        arrivals.increment()
        arrivals.pass(2)
      }
    }
    try arrivals.wait(for: 2)
  }

  @Test func aBarrierOnAQueueIsAloneThereButNotOnItsConcurrentTarget() throws {
    let root = DispatchQueue(label: "test.root", attributes: .concurrent)
    let queue = DispatchQueue(label: "test.queue", attributes: .concurrent, target: root)
    let gate = Gate()
    let running = Gate("running")
    root.async {
      running.open()
      gate.pass()
    }
    try running.wait()
    // The root's own item still runs.
    queue.sync(flags: .barrier) {
      dispatchPrecondition(condition: .onQueueAsBarrier(queue))
      dispatchPrecondition(condition: .onQueue(root))
      gate.open()
    }
  }

  @Test func aBarrierOnTheTargetWaitsForItemsOfTheQueuesAboveIt() throws {
    let root = DispatchQueue(label: "test.root", attributes: .concurrent)
    let queues = (0..<3).map {
      DispatchQueue(label: "test.\($0)", attributes: .concurrent, target: root)
    }
    let inside = Occupancy()
    let met = EventCounter("barriers that met an item")
    let barriers = EventCounter("barriers")
    for round in 0..<100 {
      for queue in queues {
        queue.async {
          inside.enter()
          inside.leave()
        }
      }
      if round % 5 == 0 {
        root.async(flags: .barrier) {
          if inside.inside > 0 { met.increment() }
          barriers.increment()
        }
      }
    }
    try barriers.wait(for: 20)
    #expect(met.value == 0)
  }

  @Test func aSuspendedTargetHoldsSyncAndItemsOfTheQueuesAboveIt() throws {
    try withEvery("root", in: Root.allCases.filter { $0 != .global }) { root in
      let target = root.make()
      let queue = DispatchQueue(
        label: "test.queue", target: DispatchQueue(label: "test.middle", target: target))
      target.suspend()
      let ran = EventCounter("items")
      queue.async { ran.increment() }
      let caller = try PlainThread { queue.sync { _ = ran.increment() } }
      #expect(ran.value == 0)
      target.resume()
      try caller.join()
      #expect(ran.value == 2)
    }
  }

  @Test func itemsOfAnInactiveQueueRunOnTheTargetThatItGetsLast() throws {
    try withEvery("root", in: Root.allCases) { root in
      let target = root.make()
      let queue = DispatchQueue(
        label: "test.inactive", attributes: [.initiallyInactive, .concurrent])
      let onTarget = EventLog<Bool>()
      for _ in 0..<10 { queue.async { onTarget.append(target.isCurrent || root == .global) } }
      queue.setTarget(queue: DispatchQueue(label: "test.first"))
      queue.setTarget(queue: target)
      queue.activate()
      let found = try onTarget.wait(forCount: 10)
      #expect(found == Array(repeating: true, count: 10))
    }
  }

  @Test func anInactiveTargetHoldsTheQueuesAboveIt() throws {
    let target = DispatchQueue(label: "test.target", attributes: .initiallyInactive)
    let queue = DispatchQueue(label: "test.queue", target: target)
    let ran = EventCounter("items")
    queue.async { ran.increment() }
    #expect(ran.value == 0)
    target.activate()
    try ran.wait(for: 1)
  }

  @Test func preconditionsHoldThroughAllTargetsAndFailForOthers() {
    let root = DispatchQueue(label: "test.root")
    let middle = DispatchQueue(label: "test.middle", attributes: .concurrent, target: root)
    let leaf = DispatchQueue(label: "test.leaf", target: middle)
    let sibling = DispatchQueue(label: "test.sibling", target: middle)
    leaf.sync {
      for queue in [leaf, middle, root] {
        dispatchPrecondition(condition: .onQueue(queue))
        #expect(!_dispatchPreconditionTest(.notOnQueue(queue)))
      }
      dispatchPrecondition(condition: .onQueueAsBarrier(root))
      dispatchPrecondition(condition: .onQueueAsBarrier(leaf))
      dispatchPrecondition(condition: .notOnQueue(sibling))
    }
    root.sync {
      dispatchPrecondition(condition: .notOnQueue(middle))
      dispatchPrecondition(condition: .notOnQueue(leaf))
    }
  }

  @Test(arguments: [1_000])
  func aLongChainRunsItemsAndSyncAndIsFreed(length: Int) throws {
    try withEvery("concurrent", in: [false, true]) { concurrent in
      let tracker = LeakTracker()
      let key = DispatchSpecificKey<TrackedObject>()
      do {
        var queue = DispatchQueue(label: "test.chain.root")
        queue.setSpecific(key: key, value: tracker.makeObject())
        let root = queue
        for number in 1..<length {
          queue = DispatchQueue(
            label: "test.chain.\(number)", attributes: concurrent ? .concurrent : [], target: queue)
        }
        let ran = EventCounter("items")
        for _ in 0..<10 {
          queue.async {
            dispatchPrecondition(condition: .onQueue(root))
            if DispatchQueue.getSpecific(key: key) != nil { ran.increment() }
          }
        }
        let leaf = queue
        try onPlainThread {
          leaf.sync {
            dispatchPrecondition(condition: .onQueueAsBarrier(root))
            ran.increment()
          }
        }
        try ran.wait(for: 11)
      }
      try tracker.waitUntilAllAreFreed()
    }
  }

  /// The release of each queue would release the next one recursively.
  @Test func aVeryLongChainIsFreedOnAShallowStack() throws {
    let tracker = LeakTracker()
    let key = DispatchSpecificKey<TrackedObject>()
    do {
      var queue = DispatchQueue(label: "test.chain.root")
      queue.setSpecific(key: key, value: tracker.makeObject())
      for number in 1..<200_000 {
        queue = DispatchQueue(label: "test.chain.\(number)", target: queue)
      }
    }
    try tracker.waitUntilAllAreFreed()
  }

  @Test func aTargetReferencedElsewhereOutlivesTheChain() throws {
    let kept = DispatchQueue(label: "test.kept", target: DispatchQueue(label: "test.root"))
    do {
      let queue = DispatchQueue(
        label: "test.leaf", target: DispatchQueue(label: "test.middle", target: kept))
      queue.sync {}
    }
    #expect(kept.sync { 1 } == 1)
  }
}
