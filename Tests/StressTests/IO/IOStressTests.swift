// IOStressTests — channels of pipes and sockets, closed at any moment.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let ioSubjects = [
  Subject("what is written through channels is what is read", transfer),
  Subject("a channel that is closed at any moment ends once, after its operations", closeAtRandom),
  Subject("numbers that are used again tell nobody else", reuseNumbers),
]

@Suite struct IOStressTests {
  @Test(arguments: ioSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func makeEnds(_ random: inout SeededGenerator) throws -> Ends {
  try Bool.random(using: &random) ? Ends(.pipe) : Ends(.sockets)
}

private func makeQueue(_ random: inout SeededGenerator) -> DispatchQueue {
  switch Int.random(in: 0..<3, using: &random) {
  case 0: .global()
  case 1: DispatchQueue(label: "org.signalbox.stress.io", attributes: .concurrent)
  default: DispatchQueue(label: "org.signalbox.stress.io")
  }
}

private func transfer(_ random: inout SeededGenerator) throws {
  let pairs = Int.random(in: 1...6, using: &random)
  let cleanups = EventCounter("cleanups")
  var logs: [(IOLog, Int)] = []
  for _ in 0..<pairs {
    let ends = try makeEnds(&random)
    let (queue, log) = (makeQueue(&random), IOLog())
    let size = Int.random(in: 1...300_000, using: &random)
    let reader = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in
      ends.closeInput()
      cleanups.increment()
    }
    let writer = DispatchIO(type: .stream, fileDescriptor: ends.output, queue: queue) { _ in
      ends.closeOutput()
      cleanups.increment()
    }
    reader.setLimit(lowWater: Int.random(in: 1...100_000, using: &random))
    if Bool.random(using: &random) {
      reader.setLimit(highWater: Int.random(in: 1_000...100_000, using: &random))
    }
    if Bool.random(using: &random) {
      reader.setInterval(interval: .microseconds(100), flags: .strictInterval)
    }
    reader.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    var sent = 0
    while sent < size {
      let count = min(Int.random(in: 1...60_000, using: &random), size - sent)
      writer.write(
        offset: 0, data: DispatchData(numbered(count, from: sent)), queue: queue
      ) { _, _, _ in }
      if Int.random(in: 0..<4, using: &random) == 0 { writer.barrier {} }
      sent += count
    }
    logs.append((log, size))
  }
  // The writers' objects are gone, so the descriptors close when everything is written.
  for (log, size) in logs {
    try agree(try log.wait().last?.error, 0, "the last call's error")
    if log.bytes != numbered(size) { throw Broken("other bytes were read than written") }
    try agree(log.overlapped, false, "two calls at a time")
  }
  try cleanups.wait(for: 2 * pairs)
}

private func closeAtRandom(_ random: inout SeededGenerator) throws {
  let channels = Int.random(in: 1...20, using: &random)
  let threads = 2
  let cleanups = (0..<channels).map { _ in Counter() }
  let early = Counter()
  let over = EventCounter("operations and cleanups")
  let tracker = LeakTracker()
  var expected = 0
  do {
    var made: [(DispatchIO, Ends)] = []
    var pending: [Counter] = []
    for number in 0..<channels {
      let ends = try makeEnds(&random)
      let running = Counter()
      let queue = makeQueue(&random)
      let object = tracker.makeObject()
      let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in
        object.touch()
        if running.value != 0 { early.increment() }
        ends.closeInput()
        cleanups[number].increment()
        over.increment()
      }
      channel.setLimit(lowWater: 1)
      pending.append(running)
      made.append((channel, ends))
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        expected += 1
        running.increment()
        let object = tracker.makeObject()
        channel.read(
          offset: 0, length: Int.random(in: 1...100, using: &random), queue: queue
        ) { done, _, _ in
          object.touch()
          guard done else { return }
          running.decrement()
          over.increment()
        }
        if Int.random(in: 0..<4, using: &random) == 0 { channel.barrier {} }
      }
      expected += 1
    }
    let all = Carried(made)
    let generators = (0..<threads).map { _ in random.split() }
    try runThreads(threads) { thread in
      var random = generators[thread]
      for (channel, ends) in all.value.shuffled(using: &random) {
        dawdle(Int.random(in: 0...500, using: &random))
        if thread == 0 {
          ends.put(numbered(Int.random(in: 0...200, using: &random)))
          if Bool.random(using: &random) { ends.closeOutput() }
        } else {
          channel.close(flags: Bool.random(using: &random) ? .stop : [])
        }
      }
    }
    // A channel that was closed without a stop still waits for the other side.
    for (_, ends) in made { ends.closeOutput() }
    try over.wait(for: expected)
  }
  try agree(early.value, 0, "cleanups before the last operation")
  for count in cleanups { try agree(count.value, 1, "cleanups of a channel") }
  try agree(over.value, expected, "operations and cleanups")
  try tracker.waitUntilAllAreFreed()
}

/// Each round's descriptors reuse the numbers of the previous round.
private func reuseNumbers(_ random: inout SeededGenerator) throws {
  let generators = (0..<3).map { _ in random.split() }
  try runThreads(3) { thread in
    var random = generators[thread]
    let queue = DispatchQueue(label: "org.signalbox.stress.reuse")
    for round in 0..<40 {
      let ends = try makeEnds(&random)
      let (log, cleanup) = (IOLog(), EventCounter("cleanups"))
      let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { error in
        ends.closeInput()
        if error == 0 { cleanup.increment() }
      }
      let mark = UInt8(truncatingIfNeeded: 3 * round + thread)
      channel.read(offset: 0, length: 2, queue: .global(), ioHandler: log.handle)
      if Bool.random(using: &random) { dawdle(300) }
      if Bool.random(using: &random) {
        ends.put([mark, mark])
        try log.wait()
        if log.bytes != [mark, mark] { throw Broken("read \(log.bytes) instead of twice \(mark)") }
        channel.close()
      } else {
        channel.close(flags: .stop)
        if try log.wait().last != Told(true, nil, ECANCELED) { throw Broken("\(log.all)") }
      }
      try cleanup.wait(for: 1)
    }
  }
}
