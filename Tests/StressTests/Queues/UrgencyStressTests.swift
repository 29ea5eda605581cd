// UrgencyStressTests — queues and items of every QoS class, which move between the pool's
// tiers.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let urgencySubjects = [
  Subject("items of every urgency run in order, whoever serves their queue", moveBetweenTiers),
  Subject("workers that block outside the library come back into the count", blockOutside),
]

@Suite struct UrgencyStressTests {
  @Test(arguments: urgencySubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private let classes: [DispatchQoS.QoSClass] = [
  .background, .utility, .default, .userInitiated, .userInteractive, .unspecified,
]

private let flags: [DispatchWorkItemFlags] = [
  [], [], [], .enforceQoS, .inheritQoS, .noQoS, .detached, .barrier,
]

private func anyQoS(_ random: inout SeededGenerator) -> DispatchQoS {
  DispatchQoS(
    qosClass: classes.randomElement(using: &random)!,
    relativePriority: -Int.random(in: 0...15, using: &random))
}

/// Uses serial queues with and without a class, by themselves or over a target; producers of
/// every class, from threads and from items; and sometimes a `sync` or a suspension.
private func moveBetweenTiers(_ random: inout SeededGenerator) throws {
  let target = DispatchQueue(label: "org.signalbox.stress.target", qos: anyQoS(&random))
  let queues = (0..<Int.random(in: 2...5, using: &random)).map { number in
    DispatchQueue(
      label: "org.signalbox.stress.urgency.\(number)",
      qos: Bool.random(using: &random) ? .unspecified : anyQoS(&random),
      target: Int.random(in: 0..<3, using: &random) == 0 ? target : nil)
  }
  let producers = Int.random(in: 2...4, using: &random)
  let items = Int.random(in: 50...150, using: &random)
  let generators = (0..<producers).map { _ in random.split() }
  let fromItems = (0..<producers).map { _ in Bool.random(using: &random) }
  let submitters = fromItems.map { _ in classes.randomElement(using: &random)! }
  let last = queues.map { _ in Unguarded(Array(repeating: -1, count: producers)) }
  let ran = queues.map { _ in Unguarded(0) }
  let disorders = Counter(), submitted = Counter()
  let group = DispatchGroup()
  // A machine that is busy otherwise gives the lowest class next to nothing of its processors.
  let end = Uptime.now() + RealTime.wedge
  try runThreads(producers) { producer in
    let produce: @Sendable () -> Void = {
      var random = generators[producer]
      for number in 0..<items where Uptime.now() < end {
        submitted.increment()
        let index = Int.random(in: 0..<queues.count, using: &random)
        let queue = queues[index]
        let body: @Sendable () -> Void = {
          if last[index].value[producer] >= number { disorders.increment() }
          last[index].value[producer] = number
          ran[index].increment()
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: queue.sync(execute: body)
        case 1:
          queue.suspend()
          queue.async(group: group, qos: anyQoS(&random), execute: body)
          queue.resume()
        case 2...5: queue.async(group: group, execute: body)
        default:
          queue.async(
            group: group, qos: anyQoS(&random), flags: flags.randomElement(using: &random)!,
            execute: body)
        }
      }
    }
    guard fromItems[producer] else { return produce() }
    DispatchQueue.global(qos: submitters[producer]).async(group: group, execute: produce)
  }
  group.wait()
  let total = queues.indices.reduce(0) { sum, index in
    sum + queues[index].sync { ran[index].value }
  }
  try agree(total, submitted.value, "items run")
  try agree(disorders.value, 0, "items out of order")
}

/// More items than the pool is wide read from a pipe that other items fill. The writers run
/// only because the pool does not count the blocked readers.
private func blockOutside(_ random: inout SeededGenerator) throws {
  var ends: [Int32] = [0, 0]
  try agree(csc_pipe(&ends), 0, "pipe")
  let (input, output) = (ends[0], ends[1])
  let readers = Int.random(in: 1...8, using: &random)
  let qosClass = classes.randomElement(using: &random)!
  let read = Counter()
  let written = Counter()
  let group = DispatchGroup()
  for _ in 0..<readers {
    DispatchQueue.global(qos: qosClass).async(group: group) {
      var byte: UInt8 = 0
      while Glibc.read(input, &byte, 1) < 0 && errno == EINTR {}
      read.increment()
    }
  }
  for _ in 0..<readers {
    DispatchQueue.global(qos: qosClass).async(group: group) {
      var byte: UInt8 = 1
      if write(output, &byte, 1) == 1 { written.increment() }
    }
  }
  group.wait()
  close(input)
  close(output)
  try agree(written.value, readers, "bytes written")
  try agree(read.value, readers, "bytes read")
}
