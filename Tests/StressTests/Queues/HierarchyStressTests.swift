// HierarchyStressTests — queues that target other queues.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let hierarchySubjects = [
  Subject("all queues over one serial queue take turns", takeTurns),
  Subject("serial queues over a concurrent one keep their items apart", keepApart),
  Subject("a suspended target holds all queues above it", holdAbove),
]

@Suite struct HierarchyStressTests {
  @Test(arguments: hierarchySubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Makes a few queues of either kind, each with the bottom queue or an earlier one as its
/// target.
private func makeTree(
  over bottom: DispatchQueue, _ random: inout SeededGenerator
) -> [DispatchQueue] {
  var tree = [bottom]
  for number in 0..<Int.random(in: 3...8, using: &random) {
    tree.append(
      DispatchQueue(
        label: "org.signalbox.stress.tree.\(number)",
        attributes: Bool.random(using: &random) ? .concurrent : [],
        target: tree.randomElement(using: &random)!))
  }
  return tree
}

private func takeTurns(_ random: inout SeededGenerator) throws {
  let bottom = DispatchQueue(label: "org.signalbox.stress.bottom")
  let tree = makeTree(over: bottom, &random)
  let threads = Int.random(in: 2...4, using: &random)
  let items = Int.random(in: 100...300, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let ran = Unguarded(0)
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<items {
      let queue = tree.randomElement(using: &random)!
      switch Int.random(in: 0..<5, using: &random) {
      case 0: queue.sync { ran.increment() }
      case 1: queue.sync(flags: .barrier) { ran.increment() }
      case 2: queue.async(flags: .barrier) { ran.increment() }
      default: queue.async { ran.increment() }
      }
    }
  }
  for queue in tree.reversed() { queue.sync(flags: .barrier) {} }
  try agree(bottom.sync { ran.value }, threads * items, "items run")
}

private func keepApart(_ random: inout SeededGenerator) throws {
  let bottom = DispatchQueue(label: "org.signalbox.stress.bottom", attributes: .concurrent)
  let leaves = (0..<Int.random(in: 2...6, using: &random)).map {
    DispatchQueue(label: "org.signalbox.stress.leaf.\($0)", target: bottom)
  }
  let threads = Int.random(in: 2...4, using: &random)
  let items = Int.random(in: 100...300, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let last = leaves.map { _ in Unguarded(Array(repeating: -1, count: threads)) }
  let ran = leaves.map { _ in Unguarded(0) }
  let disorders = Counter()
  let barriers = Counter()
  let submittedBarriers = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for number in 0..<items {
      let leaf = Int.random(in: 0..<leaves.count, using: &random)
      let body: @Sendable () -> Void = {
        if last[leaf].value[thread] >= number { disorders.increment() }
        last[leaf].value[thread] = number
        ran[leaf].increment()
      }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: leaves[leaf].sync(execute: body)
      case 1:
        leaves[leaf].async(execute: body)
        submittedBarriers.increment()
        bottom.async(flags: .barrier) { barriers.increment() }
      default: leaves[leaf].async(execute: body)
      }
    }
  }
  let total = leaves.indices.reduce(0) { sum, leaf in sum + leaves[leaf].sync { ran[leaf].value } }
  bottom.sync(flags: .barrier) {}
  try agree(total, threads * items, "items run")
  try agree(disorders.value, 0, "items out of order")
  try agree(barriers.value, submittedBarriers.value, "barriers of the target")
}

private func holdAbove(_ random: inout SeededGenerator) throws {
  let bottom = DispatchQueue(label: "org.signalbox.stress.bottom")
  let tree = makeTree(over: bottom, &random)
  let isHeld = Counter()
  let early = Counter()
  let ran = Unguarded(0)
  let group = DispatchGroup()
  let rounds = 100
  for _ in 0..<rounds {
    // Runs on the bottom queue, so that no item of it is running at that moment.
    bottom.sync {
      bottom.suspend()
      isHeld.increment()
    }
    for queue in tree {
      queue.async(group: group) {
        if isHeld.value != 0 { early.increment() }
        ran.increment()
      }
    }
    dawdle(Int.random(in: 0...200, using: &random))
    isHeld.decrement()
    bottom.resume()
    if Bool.random(using: &random) { group.wait() }
  }
  group.wait()
  try agree(bottom.sync { ran.value }, rounds * tree.count, "items run")
  try agree(early.value, 0, "items that ran over a suspended target")
}
