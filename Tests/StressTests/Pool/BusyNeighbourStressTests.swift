// BusyNeighbourStressTests — the promises of sources, queues and classes while other processes
// take processors from the program at any moment.

import CountedFacts
import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

let busyNeighbourSubjects = [
  Subject("beside busy processes a source that ends itself has one event", endInOwnHandler),
  Subject("beside busy processes no event follows the end of a source", endFromAnotherThread),
  Subject("beside busy processes ordered queues keep their order", keepOrder),
  Subject("beside busy processes urgent queues are overtaken by the rules only", startUrgentFirst),
]

@Suite struct BusyNeighbourStressTests {
  @Test(arguments: busyNeighbourSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }

  @Test(.guarded) func neighboursComputeUntilTheyAreEnded() throws {
    let neighbours = try BusyNeighbours(2)
    let numbers = neighbours.numbers
    #expect(numbers.count == 2)
    for number in numbers {
      let before = try processorTime(of: number)
      while try processorTime(of: number) == before { letRealTimePass(.milliseconds(1)) }
    }
    neighbours.end()
    for number in numbers { #expect(kill(number, 0) == -1 && errno == ESRCH) }
    #expect(neighbours.numbers.isEmpty)
  }

  /// Returns the processor time in the kernel's ticks.
  private func processorTime(of process: pid_t) throws -> Int {
    let path = "/proc/\(process)/stat"
    let fields = try #require(ThreadCensus.contents(ofFile: path)?.split(separator: " "))
    return try #require(Int(fields[13]))
  }
}

private func besideNeighbours(_ body: () throws -> Void) throws {
  let neighbours = try BusyNeighbours()
  defer { neighbours.end() }
  try body()
}

// MARK: Sources

/// A read source and a write source on each end of a socket pair. Each end has bytes to read
/// and room to write.
private final class Halves {
  enum Direction: CaseIterable { case reading, writing }

  let ends: Ends
  let descriptors: [Int32]
  let sent: Int
  private let bytes: [UInt8]

  init(_ random: inout SeededGenerator) throws {
    ends = try Ends(.sockets)
    descriptors = [ends.input, ends.output]
    sent = Int.random(in: 1...5, using: &random)
    bytes = (0..<sent).map { UInt8($0) }
  }

  /// Bytes written to one end arrive at the other.
  func fill() { for descriptor in descriptors { Bytes.put(bytes, into: descriptor) } }

  func makeSource(
    _ direction: Direction, _ descriptor: Int32, _ queue: DispatchQueue
  ) -> DispatchSource {
    let source: any DispatchSourceProtocol =
      switch direction {
      case .reading: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      case .writing: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
      }
    return source as! DispatchSource
  }
}

private func anyQueue(_ random: inout SeededGenerator) -> DispatchQueue {
  switch Int.random(in: 0..<3, using: &random) {
  case 0: DispatchQueue(label: "org.signalbox.stress.halves")
  case 1: DispatchQueue(label: "org.signalbox.stress.halves.wide", attributes: .concurrent)
  default: DispatchQueue.global()
  }
}

/// Calls `cancel()` in the handler itself: there is no further event, however late the
/// cancellation reaches the kernel.
private func endInOwnHandler(_ random: inout SeededGenerator) throws {
  var own = random.split()
  try besideNeighbours {
    for _ in 0..<Int.random(in: 5...20, using: &own) { try endInOwnHandlerOnce(&own) }
  }
}

private func endInOwnHandlerOnce(_ random: inout SeededGenerator) throws {
  let halves = try Halves(&random)
  let isFilledFirst = Bool.random(using: &random)
  if isFilledFirst { halves.fill() }
  let tracker = LeakTracker()
  let ended = EventCounter("cancel handlers")
  let wrong = Counter()
  var counts: [Counter] = []
  for descriptor in halves.descriptors {
    for direction in Halves.Direction.allCases {
      let source = Carried(halves.makeSource(direction, descriptor, anyQueue(&random)))
      let events = Counter(), object = tracker.makeObject(), sent = halves.sent
      counts.append(events)
      source.value.setEventHandler {
        object.touch()
        events.increment()
        let data = Int(source.value.data)
        if direction == .reading ? data != sent : data < 1 { wrong.increment() }
        // The handler reads nothing, so the descriptor stays ready.
        source.value.cancel()
      }
      source.value.setCancelHandler {
        object.touch()
        ended.increment()
      }
      source.value.activate()
    }
  }
  if !isFilledFirst { halves.fill() }
  try ended.wait(for: counts.count)
  try tracker.waitUntilAllAreFreed()
  try agree(counts.map(\.value), counts.map { _ in 1 }, "events of each source")
  try agree(wrong.value, 0, "events with wrong data")
  try agree(ended.value, counts.count, "cancel handlers")
}

/// Calls `cancel()` on another thread. A descriptor that stays ready is reported again until
/// the cancellation takes effect. The load decides how many events that makes, with the
/// toolchain as well. So there is at least one event, each is true, and none follows the cancel
/// handler.
private func endFromAnotherThread(_ random: inout SeededGenerator) throws {
  var own = random.split()
  try besideNeighbours {
    for _ in 0..<Int.random(in: 5...20, using: &own) { try endFromAnotherThreadOnce(&own) }
  }
}

private func endFromAnotherThreadOnce(_ random: inout SeededGenerator) throws {
  let halves = try Halves(&random)
  halves.fill()
  let tracker = LeakTracker()
  let ended = EventCounter("cancel handlers")
  let wrong = Counter(), tooLate = Counter()
  var sources: [Carried<DispatchSource>] = []
  var counts: [EventCounter] = []
  for descriptor in halves.descriptors {
    for direction in Halves.Direction.allCases {
      let source = Carried(halves.makeSource(direction, descriptor, anyQueue(&random)))
      let events = EventCounter("events"), isOver = Counter(), object = tracker.makeObject()
      // The handlers of one source run one after another.
      let left = Unguarded(halves.sent)
      let takes = Bool.random(using: &random)
      counts.append(events)
      sources.append(source)
      source.value.setEventHandler {
        object.touch()
        if isOver.value > 0 { tooLate.increment() }
        let data = Int(source.value.data)
        if direction == .reading ? data != left.value : data < 1 { wrong.increment() }
        if direction == .reading && takes {
          left.value -= Bytes.take(1, from: descriptor).count
        }
        events.increment()
      }
      source.value.setCancelHandler {
        object.touch()
        isOver.increment()
        ended.increment()
      }
      source.value.activate()
    }
  }
  let order = sources.indices.shuffled(using: &random)
  let pause = Int.random(in: 0...500, using: &random)
  try runThreads(1) { [sources, counts] _ in
    for index in order {
      try counts[index].wait(for: 1)
      dawdle(pause)
      sources[index].value.cancel()
    }
  }
  try ended.wait(for: sources.count)
  sources = []
  try tracker.waitUntilAllAreFreed()
  try agree(counts.count { $0.value > 0 }, counts.count, "sources with an event")
  try agree(wrong.value, 0, "events with wrong data")
  try agree(tooLate.value, 0, "events after the cancel handler")
  try agree(ended.value, counts.count, "cancel handlers")
}

// MARK: Order

private let classes: [DispatchQoS.QoSClass] = [
  .default, .userInitiated, .userInteractive, .unspecified,
]

/// Tests what promises an order: a serial queue keeps the order of submission, whatever the
/// classes of its items; an operation queue of width one keeps the order of the priorities.
private func keepOrder(_ random: inout SeededGenerator) throws {
  var own = random.split()
  try besideNeighbours {
    try keepOrderOfItems(&own)
    try keepOrderOfOperations(&own)
  }
}

private func keepOrderOfItems(_ random: inout SeededGenerator) throws {
  let queue = DispatchQueue(label: "org.signalbox.stress.ordered")
  let items = Int.random(in: 50...300, using: &random)
  let log = Unguarded<[Int]>([])
  for number in 0..<items {
    let qos = DispatchQoS(qosClass: classes.randomElement(using: &random)!, relativePriority: 0)
    queue.async(qos: qos, flags: Bool.random(using: &random) ? .enforceQoS : []) {
      log.value.append(number)
    }
  }
  try agree(queue.sync { log.value }, Array(0..<items), "the order of a serial queue")
}

private func keepOrderOfOperations(_ random: inout SeededGenerator) throws {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  queue.isSuspended = true
  let priorities: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
  let log = Unguarded<[Int]>([])
  var expected: [(priority: Int, number: Int)] = []
  for number in 0..<Int.random(in: 50...150, using: &random) {
    let operation = BlockOperation { log.value.append(number) }
    operation.queuePriority = priorities.randomElement(using: &random)!
    expected.append((operation.queuePriority.rawValue, number))
    queue.addOperation(operation)
  }
  queue.isSuspended = false
  queue.waitUntilAllOperationsAreFinished()
  expected.sort { ($1.priority, $0.number) < ($0.priority, $1.number) }
  try agree(log.value, expected.map(\.number), "the order of an operation queue of width one")
}

/// Classes promise no order of items: a pool that has lost its processors gives a class that
/// has waited too long a worker of its own, so that no class starves. The scenario counts how
/// often that may have happened. A pool that ignores the classes fails nearly every round in
/// which its worker keeps a processor.
private func startUrgentFirst(_ random: inout SeededGenerator) throws {
  let rounds = Int.random(in: 5...20, using: &random)
  let queues = Int.random(in: 40...100, using: &random)
  try besideNeighbours {
    let facts = try Facts(
      of: UrgentFirstScenario.urgentQueuesAmongLessUrgentOnes, "\(rounds)", "\(queues)",
      environment: ["SIGNALBOX_WORKERS": "1"])
    try agree(facts.integer("ran"), 2 * rounds * queues, "queues that ran")
    try agree(facts.integer("roundsBroken"), 0, "\(facts): rounds with another order")
  }
}
