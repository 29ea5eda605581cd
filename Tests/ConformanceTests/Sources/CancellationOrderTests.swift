// CancellationOrderTests — a cancellation on the queue of the deliveries while other threads
// deliver: nothing happens after it. See Comparison.md, "Cancellation beside a delivery".

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Cancellation beside a delivery", .guarded)
struct CancellationOrderTests {
  enum Place: String, CaseIterable, CustomTestStringConvertible {
    case serial = "a serial queue"
    case serialOnConcurrent = "a serial queue with a concurrent target"
    case barrier = "a concurrent queue, by barriers"
    var testDescription: String { rawValue }

    func makeQueue() -> DispatchQueue {
      switch self {
      case .serial: DispatchQueue(label: "deliveries")
      case .serialOnConcurrent:
        DispatchQueue(
          label: "deliveries", target: DispatchQueue(label: "target", attributes: .concurrent))
      case .barrier: DispatchQueue(label: "deliveries", attributes: .concurrent)
      }
    }
  }

  /// Work submitted before the cancellation is delivered and later work is not, even while
  /// other threads deliver to the same queue and to its target.
  @Test(arguments: Place.allCases)
  func aCancellationOnTheHandlersQueueIsOrderedAmongTheCalls(_ place: Place) {
    let count = 40
    for round in 0..<100 {
      let queue = place.makeQueue()
      let others = DispatchGroup()
      let isCancelled = Guarded(false)
      let delivered = Guarded<Set<Int>>([])
      for _ in 0..<4 {
        DispatchQueue.global().async(group: others) {
          for _ in 0..<count { queue.async(group: others) { _ = isCancelled.current } }
        }
      }
      let last = round % count
      for number in 0..<count {
        queue.async {
          if !isCancelled.current { delivered.withValue { _ = $0.insert(number) } }
        }
        if number == last {
          queue.async(flags: .barrier) { isCancelled.withValue { $0 = true } }
        }
      }
      queue.sync(flags: .barrier) {}
      #expect(delivered.current == Set(0...last))
      others.wait()
    }
  }

  /// This holds even if its queue is about to run it.
  @Test(arguments: Place.allCases)
  func anItemCancelledBeforeItsStartDoesNotStart(_ place: Place) {
    for _ in 0..<100 {
      let queue = place.makeQueue()
      let others = DispatchGroup()
      let ran = Guarded(0)
      queue.suspend()
      let items = (0..<20).map { _ in DispatchWorkItem { ran.withValue { $0 += 1 } } }
      for item in items {
        queue.async(execute: item)
        DispatchQueue.global().async(group: others) { queue.async(group: others) {} }
      }
      for item in items { item.cancel() }
      queue.resume()
      for item in items { item.wait() }
      others.wait()
      #expect(ran.current == 0)
    }
  }
}
