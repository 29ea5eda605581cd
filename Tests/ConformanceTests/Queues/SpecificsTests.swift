// SpecificsTests — values that queues carry, by key.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct SpecificsTests {
  @Test func aQueueReturnsTheValueItWasGiven() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let number = DispatchSpecificKey<Int>()
      let text = DispatchSpecificKey<String>()
      let nothing = DispatchSpecificKey<Int?>()
      #expect(queue.getSpecific(key: number) == nil)
      queue.setSpecific(key: number, value: 7)
      queue.setSpecific(key: text, value: "seven")
      queue.setSpecific(key: nothing, value: .some(nil))
      #expect(queue.getSpecific(key: number) == 7)
      #expect(queue.getSpecific(key: text) == "seven")
      #expect(queue.getSpecific(key: nothing) == .some(nil))
      queue.setSpecific(key: number, value: 8)
      #expect(queue.getSpecific(key: number) == 8)
      queue.setSpecific(key: number, value: nil)
      #expect(queue.getSpecific(key: number) == nil)
      #expect(queue.getSpecific(key: text) == "seven")
      queue.setSpecific(key: text, value: nil)
      queue.setSpecific(key: nothing, value: nil)
      #expect(queue.getSpecific(key: text) == nil)
      #expect(queue.getSpecific(key: nothing) == nil)
    }
  }

  @Test func manyKeysAreKeptApart() {
    let queue = DispatchQueue(label: "test.specifics")
    let keys = (0..<200).map { _ in DispatchSpecificKey<Int>() }
    for (number, key) in keys.enumerated() { queue.setSpecific(key: key, value: number) }
    for number in stride(from: 0, to: keys.count, by: 3) {
      queue.setSpecific(key: keys[number], value: nil)
    }
    for (number, key) in keys.enumerated() {
      #expect(queue.getSpecific(key: key) == (number % 3 == 0 ? nil : number))
    }
  }

  @Test func anItemFindsTheValuesOfItsQueueAndOfItsTargets() throws {
    let key = DispatchSpecificKey<String>()
    let other = DispatchSpecificKey<Int>()
    let root = DispatchQueue(label: "test.root", attributes: .concurrent)
    let middle = DispatchQueue(label: "test.middle", target: root)
    let leaf = DispatchQueue(label: "test.leaf", attributes: .concurrent, target: middle)
    leaf.setSpecific(key: other, value: 1)
    root.setSpecific(key: key, value: "root")
    try withEvery("use of leaf", in: QueueUse.allCases) { use in
      let found = try use.run(on: leaf) { DispatchQueue.getSpecific(key: key) }
      #expect(found == "root")
      let foundOther = try use.run(on: leaf) { DispatchQueue.getSpecific(key: other) }
      #expect(foundOther == 1)
    }
    middle.setSpecific(key: key, value: "middle")
    try withEvery("use of leaf", in: QueueUse.allCases) { use in
      let found = try use.run(on: leaf) { DispatchQueue.getSpecific(key: key) }
      #expect(found == "middle")
    }
    try withEvery("use of root", in: QueueUse.allCases) { use in
      let found = try use.run(on: root) { DispatchQueue.getSpecific(key: key) }
      #expect(found == "root")
      let foundOther = try use.run(on: root) { DispatchQueue.getSpecific(key: other) }
      #expect(foundOther == nil)
    }
    middle.setSpecific(key: key, value: nil)
    #expect(leaf.sync { DispatchQueue.getSpecific(key: key) } == "root")
    // A queue's own values are separate from its target's.
    #expect(leaf.getSpecific(key: key) == nil)
  }

  @Test func withinNestedSyncOnlyTheInnermostHierarchyCounts() {
    let key = DispatchSpecificKey<String>()
    let outer = DispatchQueue(label: "test.outer")
    let inner = DispatchQueue(label: "test.inner")
    outer.setSpecific(key: key, value: "outer")
    outer.sync {
      #expect(DispatchQueue.getSpecific(key: key) == "outer")
      inner.sync { #expect(DispatchQueue.getSpecific(key: key) == nil) }
      #expect(DispatchQueue.getSpecific(key: key) == "outer")
    }
  }

  @Test func globalQueuesCarryValues() throws {
    let key = DispatchSpecificKey<Int>()
    let global = DispatchQueue.global(qos: .utility)
    global.setSpecific(key: key, value: 5)
    defer { global.setSpecific(key: key, value: nil) }
    #expect(global.getSpecific(key: key) == 5)
    try withEvery("use of global", in: QueueUse.allCases) { use in
      let found = try use.run(on: global) { DispatchQueue.getSpecific(key: key) }
      #expect(found == 5)
    }
    let under = DispatchQueue(label: "test.under", target: global)
    let over = DispatchQueue(label: "test.over", target: under)
    #expect(over.sync { DispatchQueue.getSpecific(key: key) } == 5)
    let late = DispatchQueue(label: "test.late", attributes: .initiallyInactive)
    late.setTarget(queue: global)
    late.activate()
    #expect(late.sync { DispatchQueue.getSpecific(key: key) } == 5)
    #expect(
      DispatchQueue(label: "test.else").sync { DispatchQueue.getSpecific(key: key) } == nil)
  }

  @Test func offAnyQueueThereAreNone() throws {
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "test.specifics")
    queue.setSpecific(key: key, value: 1)
    DispatchQueue.main.setSpecific(key: key, value: 2)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    #expect(DispatchQueue.main.getSpecific(key: key) == 2)
    #expect(try onPlainThread { DispatchQueue.getSpecific(key: key) } == nil)
  }

  @Test func valuesAreFreedWhenTheyAreReplacedAndWithTheQueue() throws {
    let tracker = LeakTracker()
    let key = DispatchSpecificKey<TrackedObject>()
    let keyOfMany = DispatchSpecificKey<[TrackedObject]>()
    do {
      let queue = DispatchQueue(label: "test.specifics")
      queue.setSpecific(key: key, value: tracker.makeObject())
      queue.setSpecific(key: key, value: tracker.makeObject())
      #expect(tracker.freed == 1)
      queue.setSpecific(key: key, value: nil)
      #expect(tracker.alive == 0)
      queue.setSpecific(key: key, value: tracker.makeObject())
      queue.setSpecific(key: keyOfMany, value: (0..<3).map { _ in tracker.makeObject() })
      let copy = queue.sync { DispatchQueue.getSpecific(key: keyOfMany) }
      queue.setSpecific(key: keyOfMany, value: nil)
      #expect(tracker.alive == 4)
      #expect(copy?.count == 3)
    }
    try tracker.waitUntilAllAreFreed()
  }

  /// Releasing a value changes the values of the queue that held it.
  @Test func theDeinitializerOfAValueMayUseTheQueue() throws {
    final class Restless: Sendable {
      let end: @Sendable () -> Void
      init(_ end: @escaping @Sendable () -> Void) { self.end = end }
      deinit { end() }
    }
    let queue = DispatchQueue(label: "test.specifics")
    let key = DispatchSpecificKey<Restless>()
    let note = DispatchSpecificKey<String>()
    queue.setSpecific(
      key: key, value: Restless { queue.setSpecific(key: note, value: "freed") })
    queue.setSpecific(key: key, value: nil)
    #expect(queue.getSpecific(key: note) == "freed")
  }

  @Test func aQueueKeepsItsKeys() {
    let queue = DispatchQueue(label: "test.specifics")
    for number in 0..<1_000 {
      queue.setSpecific(key: DispatchSpecificKey<Int>(), value: number)
      // A new key at the address of an old one would find the old value.
      if queue.getSpecific(key: DispatchSpecificKey<Int>()) != nil {
        Issue.record("a key that was never set has a value")
        return
      }
    }
  }

  @Test func keysAreEqualByIdentityAndSendable() {
    let a = DispatchSpecificKey<Int>()
    let b = DispatchSpecificKey<Int>()
    #expect(a == a && a != b)
    #expect(Set([a, b, a]).count == 2)
    let sendable: any Sendable = a
    #expect((sendable as? DispatchSpecificKey<Int>) === a)
  }

  @Test func readersAndWritersOfAllThreadsSeeWholeValues() throws {
    let tracker = LeakTracker()
    let queue = DispatchQueue(label: "test.specifics", attributes: .concurrent)
    let keys = (0..<4).map { _ in DispatchSpecificKey<[TrackedObject]>() }
    let torn = EventCounter("torn values")
    try runThreads(4) { thread in
      for round in 0..<500 {
        let key = keys[(round + thread) % keys.count]
        switch (round + thread) % 4 {
        case 0: queue.setSpecific(key: key, value: nil)
        case 1: queue.setSpecific(key: key, value: (0..<3).map { _ in tracker.makeObject() })
        default:
          let value = queue.sync { DispatchQueue.getSpecific(key: key) }
          if let value, value.count != 3 { torn.increment() }
        }
      }
    }
    #expect(torn.value == 0)
    for key in keys { queue.setSpecific(key: key, value: nil) }
    #expect(tracker.alive == 0)
  }
}

/// Every way to run something on a queue and get its result.
enum QueueUse: CaseIterable {
  case sync, barrierSync, asyncAndWait, async, apply

  func run<Result: Sendable>(
    on queue: DispatchQueue, _ work: @escaping @Sendable () -> Result
  ) throws -> Result {
    let log = EventLog<Result>()
    switch self {
    case .sync: return queue.sync(execute: work)
    case .barrierSync: return queue.sync(flags: .barrier, execute: work)
    case .asyncAndWait: return queue.asyncAndWait(execute: work)
    case .async: queue.async { log.append(work()) }
    case .apply: dispatch_apply(3, queue) { _ in log.append(work()) }
    }
    return try log.wait(forCount: 1)[0]
  }
}
