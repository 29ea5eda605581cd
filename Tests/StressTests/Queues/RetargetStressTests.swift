// RetargetStressTests — a queue of C code that gets other targets while it is busy: nothing is
// lost, and its items keep the order of the target on which they run.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let retargetSubjects = [
  Subject("items of a queue that changes its target run once, each alone on its target", retarget)
]

@Suite struct RetargetStressTests {
  @Test(arguments: retargetSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// A serial target, and whether its items run one at a time.
private final class SerialTarget: Sendable {
  private static let key = DispatchSpecificKey<SerialTarget>()

  let queue: DispatchQueue
  private let running = Counter()

  init(_ label: String) {
    queue = DispatchQueue(label: label)
    queue.setSpecific(key: SerialTarget.key, value: self)
  }

  /// Frees the target, which its queue keeps.
  func end() { queue.setSpecific(key: SerialTarget.key, value: nil) }

  /// Runs as an item of this target, or on the pool, in which nothing excludes it.
  static func run(_ faults: Counter) {
    guard let target = DispatchQueue.getSpecific(key: key) else { return hesitate() }
    if target.running.increment() != 1 { faults.increment() }
    hesitate()
    if target.running.decrement() != 0 { faults.increment() }
  }
}

private func retarget(_ random: inout SeededGenerator) throws {
  let label = "org.signalbox.stress.retarget"
  let isConcurrent = Bool.random(using: &random)
  let queue = DispatchQueue.makeRetargetable(
    label: label, qos: .unspecified, isConcurrent: isConcurrent)
  let targets = [SerialTarget(label + ".one"), SerialTarget(label + ".two")]
  let threads = 3
  let steps = Int.random(in: 50...150, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let (inside, faults, submitted, ran) = (Counter(), Counter(), Counter(), Counter())
  let item: @Sendable () -> Void = {
    if inside.increment() != 1 && !isConcurrent { faults.increment() }
    SerialTarget.run(faults)
    inside.decrement()
    ran.increment()
  }
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<steps {
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        let target = Int.random(in: 0...targets.count, using: &random)
        queue.retarget(to: target == targets.count ? nil : targets[target].queue, "retarget")
        if Bool.random(using: &random) { continue }
        // While the change waits, or is being made.
        queue.suspend()
        hesitate()
        queue.resume()
        continue
      case 1: queue.sync(execute: item)
      case 2: queue.async(flags: .barrier, execute: item)
      case 3: queue.async(qos: .userInteractive, execute: item)
      case 4:
        targets.randomElement(using: &random)!.queue.async {
          SerialTarget.run(faults)
          ran.increment()
        }
      default: queue.async(execute: item)
      }
      submitted.increment()
    }
  }
  queue.sync(flags: .barrier) {}
  for target in targets {
    target.queue.sync {}
    target.end()
  }
  try agree(ran.value, submitted.value, "items run")
  try agree(faults.value, 0, "items in company")
}
