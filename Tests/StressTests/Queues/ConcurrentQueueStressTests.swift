// ConcurrentQueueStressTests — readers run concurrently, barriers run alone.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let concurrentQueueSubjects = [
  Subject("a reader never sees a writer at work, in any mix", mixReadersAndWriters),
  Subject("every three kinds of submission end, beside each other", everyCombination),
  Subject("a barrier runs after all before it and before all after it", separate),
  Subject("a read sees the barrier its thread submitted before", readOwnWrites),
]

@Suite struct ConcurrentQueueStressTests {
  @Test(arguments: concurrentQueueSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Every way to submit to a concurrent queue.
private enum Kind: CaseIterable {
  case asyncRead, groupRead, itemRead, syncRead, syncResultRead, syncItemRead
  case asyncBarrier, groupBarrier, itemBarrier, syncBarrier, syncResultBarrier, syncItemBarrier

  var isBarrier: Bool {
    switch self {
    case .asyncRead, .groupRead, .itemRead, .syncRead, .syncResultRead, .syncItemRead: false
    case .asyncBarrier, .groupBarrier, .itemBarrier, .syncBarrier, .syncResultBarrier,
      .syncItemBarrier:
      true
    }
  }

  func submit(
    to queue: DispatchQueue, _ group: DispatchGroup, _ body: @escaping @Sendable () -> Void
  ) {
    switch self {
    case .asyncRead: queue.async(execute: body)
    case .groupRead: queue.async(group: group, execute: body)
    case .itemRead: queue.async(execute: DispatchWorkItem(block: body))
    case .syncRead: queue.sync(execute: body)
    case .syncResultRead: queue.sync(flags: [], execute: body)
    case .syncItemRead: queue.sync(execute: DispatchWorkItem(block: body))
    case .asyncBarrier: queue.async(flags: .barrier, execute: body)
    case .groupBarrier: queue.async(group: group, flags: .barrier, execute: body)
    case .itemBarrier: queue.async(execute: DispatchWorkItem(flags: .barrier, block: body))
    case .syncBarrier: queue.sync(flags: .barrier, execute: body)
    case .syncResultBarrier:
      let one = queue.sync(flags: .barrier) { () -> Int in
        body()
        return 1
      }
      precondition(one == 1)
    case .syncItemBarrier:
      queue.sync(execute: DispatchWorkItem(flags: .barrier, block: body))
    }
  }
}

/// Two numbers that differ only while a writer works.
private final class Shared: Sendable {
  private let pair = Unguarded((first: 0, second: 0))
  private let readers = Counter()
  private let writers = Counter()
  let reads = Counter()
  let faults = Counter()

  func use(_ kind: Kind) {
    if kind.isBarrier { write() } else { read() }
  }

  private func read() {
    readers.increment()
    if writers.value != 0 { faults.increment() }
    let (first, second) = pair.value
    if first != second { faults.increment() }
    hesitate()
    if writers.value != 0 { faults.increment() }
    readers.decrement()
    reads.increment()
  }

  private func write() {
    if writers.increment() != 1 || readers.value != 0 { faults.increment() }
    pair.value.first += 1
    hesitate()
    pair.value.second += 1
    if readers.value != 0 { faults.increment() }
    writers.decrement()
  }

  /// The number of writes. Read it in a barrier.
  var writes: Int { pair.value.second }
}

private func mixReadersAndWriters(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...6, using: &random)
  let submissions = Int.random(in: 50...250, using: &random)
  let barriersInTen = Int.random(in: 1...9, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let queue = DispatchQueue(label: "org.signalbox.stress.readers", attributes: .concurrent)
  let group = DispatchGroup()
  let shared = Shared()
  let expectedWrites = Counter()
  let readKinds = Kind.allCases.filter { !$0.isBarrier }
  let barrierKinds = Kind.allCases.filter(\.isBarrier)
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<submissions {
      let isBarrier = Int.random(in: 0..<10, using: &random) < barriersInTen
      let kind = (isBarrier ? barrierKinds : readKinds).randomElement(using: &random)!
      if isBarrier { expectedWrites.increment() }
      kind.submit(to: queue, group) { shared.use(kind) }
    }
  }
  let writes = queue.sync(flags: .barrier) { shared.writes }
  try agree(writes, expectedWrites.value, "writes")
  try agree(shared.reads.value, threads * submissions - writes, "reads")
  try agree(shared.faults.value, 0, "readers and writers together")
  group.wait()
}

/// Uses one queue for each choice of three kinds, with one thread for each kind.
private func everyCombination(_ random: inout SeededGenerator) throws {
  let kinds: [Kind] = [
    .asyncRead, .syncRead, .syncItemRead, .asyncBarrier, .syncBarrier, .itemBarrier,
  ]
  let combinations = kinds.indices.flatMap { first in
    (first..<kinds.count).flatMap { second in
      (second..<kinds.count).map { [kinds[first], kinds[second], kinds[$0]] }
    }
  }.shuffled(using: &random)
  let repeats = 12
  let states = combinations.map { _ in Shared() }
  let queues = combinations.map { _ in
    DispatchQueue(label: "org.signalbox.stress.combination", attributes: .concurrent)
  }
  let group = DispatchGroup()
  let meeting = Rendezvous(parties: 3)
  try runThreads(3) { thread in
    for (index, combination) in combinations.enumerated() {
      let kind = combination[thread]
      // All threads start together, or the first has finished before the last begins.
      try meeting.meet()
      for _ in 0..<repeats {
        kind.submit(to: queues[index], group) { states[index].use(kind) }
      }
    }
  }
  for (index, combination) in combinations.enumerated() {
    let writes = queues[index].sync(flags: .barrier) { states[index].writes }
    let barriers = combination.count(where: \.isBarrier)
    try agree(writes, barriers * repeats, "writes of \(combination)")
    try agree(states[index].reads.value, (3 - barriers) * repeats, "reads of \(combination)")
    try agree(states[index].faults.value, 0, "overlaps of \(combination)")
  }
}

private func separate(_ random: inout SeededGenerator) throws {
  let queue = DispatchQueue(label: "org.signalbox.stress.segments", attributes: .concurrent)
  let finished = Counter()
  let wrong = Counter()
  let submitters = DispatchGroup()
  var submitted = 0
  for _ in 0..<100 {
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let earliest = submitted
      let steps = Int.random(in: 0...50, using: &random)
      submitted += 1
      queue.async(group: submitters) {
        _ = earliest
        dawdle(steps)
        finished.increment()
      }
    }
    let expected = submitted
    let check: @Sendable () -> Void = { if finished.value != expected { wrong.increment() } }
    if Bool.random(using: &random) {
      queue.async(flags: .barrier, execute: check)
    } else {
      queue.sync(flags: .barrier, execute: check)
    }
  }
  queue.sync(flags: .barrier) {}
  try agree(finished.value, submitted, "items")
  try agree(wrong.value, 0, "barriers that met other items")
  submitters.wait()
}

private func readOwnWrites(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...5, using: &random)
  let queue = DispatchQueue(label: "org.signalbox.stress.isolation", attributes: .concurrent)
  let values = Unguarded(Array(repeating: [0, 0], count: threads))
  let missed = Counter()
  try runThreads(threads) { thread in
    for number in 1...100 {
      queue.async(flags: .barrier) {
        values.value[thread][0] = number
        hesitate()
        values.value[thread][1] = number
      }
      if queue.sync(execute: { values.value[thread] }) != [number, number] { missed.increment() }
    }
  }
  try agree(missed.value, 0, "reads that missed their thread's write")
}
