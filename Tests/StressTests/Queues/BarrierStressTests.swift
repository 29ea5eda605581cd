// BarrierStressTests — every way to submit to a concurrent queue, from within every other, over
// every kind of target: nothing is lost, nothing deadlocks, and a barrier runs alone.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let barrierSubjects = [
  Subject("every barrier from within every other ends, over every target", nestBarriers)
]

@Suite struct BarrierStressTests {
  @Test(arguments: barrierSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// How work is submitted.
private enum Way: CaseIterable {
  case async, asyncBarrier, barrierItem, cancelledItem, itemCancelledLater
  case sync, syncBarrier, syncBarrierItem, syncCancelledItem

  var isBarrier: Bool { self != .async && self != .sync }

  /// How often the work runs, or nil if that depends on chance.
  var runs: Int? {
    switch self {
    case .cancelledItem, .syncCancelledItem: 0
    case .itemCancelledLater: nil
    default: 1
    }
  }
}

/// The targets of the queue under test.
private enum Tower: CaseIterable {
  case alone, overConcurrent, overSerial, overTwo

  func build(_ name: String) -> (top: DispatchQueue, below: DispatchQueue?) {
    let label = "org.signalbox.stress.barriers.\(name)"
    let below: DispatchQueue? =
      switch self {
      case .alone: nil
      case .overConcurrent: DispatchQueue(label: label + ".below", attributes: .concurrent)
      case .overSerial: DispatchQueue(label: label + ".below")
      case .overTwo:
        DispatchQueue(
          label: label + ".below", attributes: .concurrent,
          target: DispatchQueue(label: label + ".bottom"))
      }
    return (DispatchQueue(label: label, attributes: .concurrent, target: below), below)
  }
}

/// A queue, and what its items observe about each other.
private struct Place: Sendable {
  let queue: DispatchQueue
  private let readers = Counter()
  private let writers = Counter()
  let faults = Counter()
  let ran = Counter()

  init(_ queue: DispatchQueue) { self.queue = queue }

  func submit(_ way: Way, _ group: DispatchGroup, _ inner: @escaping @Sendable () -> Void = {}) {
    let body: @Sendable () -> Void = {
      if way.isBarrier {
        if writers.increment() != 1 || readers.value != 0 { faults.increment() }
        inner()
        hesitate()
        if writers.decrement() != 0 || readers.value != 0 { faults.increment() }
      } else {
        readers.increment()
        if writers.value != 0 { faults.increment() }
        inner()
        if writers.value != 0 { faults.increment() }
        readers.decrement()
      }
      if way.runs != nil { ran.increment() }
    }
    let item = DispatchWorkItem(flags: .barrier, block: body)
    switch way {
    case .async: queue.async(group: group, execute: body)
    case .asyncBarrier: queue.async(group: group, flags: .barrier, execute: body)
    case .barrierItem: queue.async(group: group, execute: item)
    case .cancelledItem:
      item.cancel()
      queue.async(group: group, execute: item)
    case .itemCancelledLater:
      queue.async(group: group, execute: item)
      dawdle(40)
      item.cancel()
    case .sync: queue.sync(execute: body)
    case .syncBarrier: queue.sync(flags: .barrier, execute: body)
    case .syncBarrierItem: queue.sync(execute: item)
    case .syncCancelledItem:
      item.cancel()
      queue.sync(execute: item)
    }
  }
}

private func nestBarriers(_ random: inout SeededGenerator) throws {
  for _ in 0..<40 {
    let outerWay = Way.allCases.randomElement(using: &random)!
    let innerWay = Way.allCases.randomElement(using: &random)!
    let towers = (0..<2).map { _ in Tower.allCases.randomElement(using: &random)! }
    let (outerQueue, outerBelow) = towers[0].build("outer")
    let outer = Place(outerQueue)
    let inner = Place(towers[1].build("inner").top)
    // Asynchronous work may go to the same queue that submits it, or to the queue's target.
    let below = outerBelow.map(Place.init)
    let backward = [Way.async, .asyncBarrier, .barrierItem].randomElement(using: &random)!
    let group = DispatchGroup()
    let threads = 3
    let repeats = Int.random(in: 2...6, using: &random)
    try runThreads(threads) { _ in
      for _ in 0..<repeats {
        outer.submit(outerWay, group) {
          inner.submit(innerWay, group)
          below?.queue.async(group: group) {}
          outer.submit(backward, group)
        }
      }
    }
    group.wait()
    // Once more, for the work that was submitted from within.
    for place in [outer, inner, outer, inner] { place.queue.sync(flags: .barrier) {} }
    group.wait()
    let what = "\(outerWay) \(towers[0]), within it \(innerWay) \(towers[1]) and \(backward)"
    try agree(outer.faults.value + inner.faults.value, 0, "barriers in company: \(what)")
    if let outerRuns = outerWay.runs {
      let bodies = threads * repeats * outerRuns
      try agree(outer.ran.value, 2 * bodies, "runs outside: \(what)")
      if let innerRuns = innerWay.runs {
        try agree(inner.ran.value, bodies * innerRuns, "runs within: \(what)")
      }
    }
  }
}
