// MixedWork — rounds of everything that uses a worker, drawn by a seed: classes, queues, items
// that compute, sleep or block inside and outside `Parking`, timers, sources, channels,
// operations, loops, tasks and threads. Several copies run at a time in `MixedWorkStressTests`,
// so that threads lose their processors at any moment.

import CSystemCalls
import Glibc
import SignalboxConcurrency
import SignalboxDispatch
import SignalboxOperations
import SignalboxRuntime

package enum MixedWorkScenario: String, CountedScenario {
  /// Arguments: the seed and the number of rounds.
  case mixedWork = "mixed-work"
}

extension MixedWorkScenario: Scenario {
  func run() {
    try? SignalboxExecutors.adopt()
    var random = Draw(UInt64(integerArgument(0, default: 1)))
    var missing = 0
    for _ in 1...integerArgument(1, default: 10) {
      let round = MixedRound()
      round.run(&random)
      missing += round.expected.count - round.done.count
    }
    report("missing", missing)
    report("running", runningWhenQuiet())
  }
}

/// How many workers have permits, and how many runnables wait, when everything has ended.
private func runningWhenQuiet() -> Int {
  var left = Int.max
  for _ in 0..<5_000 where left != 0 {
    left = Engine.current.pools.reduce(0) { $0 + abs($1.running) + $1.pending }
    if left != 0 { sleepInKernel(milliseconds: 1) }
  }
  return left
}

/// SplitMix64, with a few ways to draw.
private struct Draw: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func qos() -> DispatchQoS {
    let classes: [DispatchQoS.QoSClass] = [
      .background, .utility, .default, .userInitiated, .userInteractive,
    ]
    return DispatchQoS(
      qosClass: classes.randomElement(using: &self)!, relativePriority: -number(0...3))
  }

  /// A global queue, or a queue of its own.
  mutating func queue() -> DispatchQueue {
    let qos = qos()
    return switch number(0...4) {
    case 0: DispatchQueue(label: "org.signalbox.facts.mixed", qos: qos)
    case 1: DispatchQueue(label: "org.signalbox.facts.mixed", qos: qos, attributes: .concurrent)
    case 2: DispatchWorkloop(label: "org.signalbox.facts.mixed")
    default: DispatchQueue.global(qos: qos.qosClass)
    }
  }
}

private final class MixedRound: Sendable {
  let expected = Tally()
  let done = Tally()
  private let group = DispatchGroup()

  func run(_ random: inout Draw) {
    for _ in 0..<random.number(3...12) { begin(&random) }
    group.wait()
  }

  private func end() {
    done.increment()
    group.leave()
  }

  private func enter(_ count: Int) {
    expected.add(count)
    for _ in 0..<count { group.enter() }
  }

  private static func compute(_ microseconds: Int) {
    let end = milliseconds() + Double(microseconds) / 1e3
    while milliseconds() < end {}
  }

  private func begin(_ random: inout Draw) {
    switch random.number(0...12) {
    case 0, 1: computing(&random)
    case 2: sleeping(&random)
    case 3: waiting(&random)
    case 4: reading(&random)
    case 5: timers(&random)
    case 6: source(&random)
    case 7: channel(&random)
    case 8: operations(&random)
    case 9: loop(&random)
    case 10: tasks(&random)
    case 11: threads(&random)
    default: hops(&random)
    }
  }

  private func computing(_ random: inout Draw) {
    let count = random.number(1...8)
    enter(count)
    for _ in 0..<count {
      let length = random.number(0...3) == 0 ? random.number(3_000...9_000) : random.number(0...300)
      random.queue().async {
        Self.compute(length)
        self.end()
      }
    }
  }

  private func sleeping(_ random: inout Draw) {
    let count = random.number(1...6)
    enter(count)
    for _ in 0..<count {
      let length = UInt32(random.number(0...4_000))
      random.queue().async {
        usleep(length)
        self.end()
      }
    }
  }

  /// The signals come from items behind those that wait.
  private func waiting(_ random: inout Draw) {
    let count = random.number(1...6)
    let semaphore = DispatchSemaphore(value: 0)
    enter(2 * count)
    for _ in 0..<count {
      random.queue().async {
        semaphore.wait()
        self.end()
      }
    }
    for _ in 0..<count {
      random.queue().async {
        semaphore.signal()
        self.end()
      }
    }
  }

  private static func makePipe() -> (input: Int32, output: Int32) {
    var ends: [Int32] = [0, 0]
    if pipe(&ends) != 0 { fail("no pipe") }
    return (ends[0], ends[1])
  }

  private func reading(_ random: inout Draw) {
    let count = random.number(1...5)
    let (input, output) = Self.makePipe()
    let left = Tally()
    enter(2 * count)
    let isLast: @Sendable () -> Void = {
      if left.increment() == 2 * count {
        close(input)
        close(output)
      }
      self.end()
    }
    for _ in 0..<count {
      random.queue().async {
        var byte: UInt8 = 0
        while read(input, &byte, 1) < 0 && errno == EINTR {}
        isLast()
      }
    }
    for _ in 0..<count {
      random.queue().async {
        var byte: UInt8 = 1
        _ = write(output, &byte, 1)
        isLast()
      }
    }
  }

  private func timers(_ random: inout Draw) {
    let count = random.number(1...5)
    enter(count)
    for _ in 0..<count {
      let delay = random.number(0...3_000)
      random.queue().asyncAfter(deadline: .now() + .microseconds(delay)) { self.end() }
    }
    enter(1)
    let timer = DispatchSource.makeTimerSource(queue: random.queue())
    let fired = Tally()
    nonisolated(unsafe) let own = timer  // SAFETY: a source may be used from any thread.
    timer.setEventHandler { if fired.increment() == 3 { own.cancel() } }
    timer.setCancelHandler { self.end() }
    timer.schedule(deadline: .now(), repeating: .microseconds(random.number(50...800)))
    timer.activate()
  }

  private func source(_ random: inout Draw) {
    let (input, output) = Self.makePipe()
    enter(1)
    let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: random.queue())
    let bytes = random.number(1...20)
    let taken = Tally()
    nonisolated(unsafe) let own = source  // SAFETY: a source may be used from any thread.
    source.setEventHandler {
      var byte: UInt8 = 0
      if read(input, &byte, 1) == 1 && taken.increment() == bytes { own.cancel() }
    }
    source.setCancelHandler {
      close(input)
      close(output)
      self.end()
    }
    source.activate()
    random.queue().async {
      var byte: UInt8 = 1
      for _ in 0..<bytes { _ = write(output, &byte, 1) }
    }
  }

  private func channel(_ random: inout Draw) {
    let (input, output) = Self.makePipe()
    enter(1)
    let queue = DispatchQueue(label: "org.signalbox.facts.mixed.io", qos: random.qos())
    let channel = DispatchIO(type: .stream, fileDescriptor: input, queue: queue) { _ in
      close(input)
      self.end()
    }
    channel.read(offset: 0, length: Int.max, queue: queue) { _, _, _ in }
    let length = random.number(1...20_000)
    random.queue().async {
      let bytes = [UInt8](repeating: 7, count: length)
      _ = bytes.withUnsafeBytes { write(output, $0.baseAddress, length) }
      close(output)
    }
    channel.close()
  }

  private func operations(_ random: inout Draw) {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = random.number(1...3)
    var last: Operation?
    let count = random.number(1...8)
    enter(count)
    for _ in 0..<count {
      let length = random.number(0...500)
      let operation = BlockOperation {
        Self.compute(length)
        self.end()
      }
      if let last, random.number(0...1) == 0 { operation.addDependency(last) }
      last = operation
      queue.addOperation(operation)
    }
  }

  private func loop(_ random: inout Draw) {
    enter(1)
    let count = random.number(1...50)
    random.queue().async {
      let ran = Tally()
      DispatchQueue.concurrentPerform(iterations: count) { _ in
        Self.compute(5)
        ran.increment()
      }
      if ran.count == count { self.end() }
    }
  }

  private func tasks(_ random: inout Draw) {
    let count = random.number(1...8)
    enter(count)
    for _ in 0..<count {
      let sleeps = random.number(0...2) == 0
      let priorities: [TaskPriority] = [.background, .utility, .medium, .high]
      Task.detached(priority: priorities.randomElement(using: &random)!) {
        if sleeps { try? await Task.sleep(for: .microseconds(300)) } else { await Task.yield() }
        self.end()
      }
    }
  }

  private func threads(_ random: inout Draw) {
    let count = random.number(1...3)
    enter(count)
    for _ in 0..<count {
      let queue = random.queue()
      let synchronously = random.number(0...1) == 0
      startThread {
        if synchronously { queue.sync { self.end() } } else { queue.async { self.end() } }
      }
    }
  }

  /// From queue to queue, so that slots are used.
  private func hops(_ random: inout Draw) {
    enter(1)
    let queues = (0..<random.number(2...4)).map { _ in random.queue() }
    hop(queues, random.number(1...200), random.number(0...50))
  }

  private func hop(_ queues: [DispatchQueue], _ left: Int, _ length: Int) {
    queues[left % queues.count].async {
      Self.compute(length)
      if left == 0 { self.end() } else { self.hop(queues, left - 1, length) }
    }
  }
}
