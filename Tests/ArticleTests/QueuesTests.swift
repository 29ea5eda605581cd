// QueuesTests — the code of "Queues".

import SignalboxDispatch
import SignalboxTestSupport
import Testing

// block: Queues/counter
/// A counter for any thread: only items of its queue touch the number.
// SAFETY: `count` is confined to `queue`.
final class Counter: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.example.counter")
  private var count = 0

  func add(_ amount: Int) {
    queue.async { self.count += amount }
  }

  var value: Int {
    queue.sync { count }
  }
}
// end

@Suite("Queues") struct QueuesTests {
  @Test func aSerialQueueGuardsAValueThatOnlyItsItemsTouch() {
    // block: Queues/use
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 100) { _ in
      counter.add(1)
    }
    print(counter.value)  // 100
    // end
    #expect(counter.value == 100)
  }

  @Test func workRunsInTheBackgroundAndItsResultIsShown() throws {
    let shown = EventLog<Int>()
    let done = EventCounter()
    let screen = DispatchQueue(label: "org.example.screen")
    let show: @Sendable (Int) -> Void = {
      shown.append($0)
      done.increment()
    }
    // block: Queues/there-and-back
    DispatchQueue.global(qos: .userInitiated).async {
      let sum = (1...1000).reduce(0, +)  // long work
      screen.async { show(sum) }  // in a program with a screen: DispatchQueue.main
    }
    // end
    try done.wait(for: 1)
    #expect(shown.all == [500_500])
  }

  @Test func queuesWithOneTargetTakeTurns() {
    // block: Queues/target
    let file = DispatchQueue(label: "org.example.file")
    let reads = DispatchQueue(label: "org.example.file.reads", target: file)
    let writes = DispatchQueue(label: "org.example.file.writes", target: file)

    reads.async { dispatchPrecondition(condition: .onQueue(file)) }
    writes.async { dispatchPrecondition(condition: .onQueue(file)) }
    // end
    reads.sync {}
    writes.sync {}
  }

  @Test func syncOntoTheCurrentQueue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // block: Queues/sync-onto-itself
      let log = DispatchQueue(label: "org.example.log")
      log.sync {
        log.sync { print("never") }
      }
      // end
    }
    // block: Queues/sync-onto-itself-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: sync on the queue "org.example.log"
      from work that runs on it: this thread would wait for itself
      forever. Call the work directly, or submit it with async.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
