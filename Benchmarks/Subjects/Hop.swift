import CBenchmark
import Synchronization

extension Subject {
  static let hop = Subject(
    name: "hop",
    title: "hop: an item on A submits to B and back",
    goal: .ratio(0.20, required: false),
    pinned: true,
    measurement: .cost {
      let pair = HoppingPair()
      return { operations in pair.hop(operations) }
    })

  static let startWhileComputing = Subject(
    name: "start-while-computing",
    title: "an item submits to B and computes 10 ms: until B starts",
    goal: .value(100),
    countedOperations: 0,
    measurement: .latency(trials: 15, processorTime: nil) { trials in
      let a = DispatchQueue(label: "start-while-computing.a")
      let b = DispatchQueue(label: "start-while-computing.b")
      let bothDone = DispatchSemaphore(value: 0)
      let moments = Moments()
      return (0..<trials).map { _ in
        a.async {
          let submitted = cbench_now()
          moments.submitted = submitted
          b.async {
            moments.started = cbench_now()
            bothDone.signal()
          }
          while cbench_now() - submitted < 10_000_000 { cbench_compute(64) }
          bothDone.signal()
        }
        bothDone.wait()
        bothDone.wait()
        // Long enough for the workers to be asleep again.
        cbench_sleep_microseconds(500)
        return moments.started - moments.submitted
      }
    })
}

/// Two serial queues between which one item at a time goes back and forth.
// SAFETY: each field is touched by one item at a time.
final class HoppingPair: @unchecked Sendable {
  private let a = DispatchQueue(label: "hop.a")
  private let b = DispatchQueue(label: "hop.b")
  private let arrived = DispatchSemaphore(value: 0)
  // SAFETY: touched by the caller before the first item is submitted, and then
  // by the one item there is at any time.
  private var left = 0
  // SAFETY: as above.
  private var then: (@Sendable () -> Void)?

  init() {}

  /// A pair of which A carries 1 for `key`, and B 2.
  init(marking key: DispatchSpecificKey<Int>) {
    a.setSpecific(key: key, value: 1)
    b.setSpecific(key: key, value: 2)
  }

  /// Hops, while a third thread reads what the two carry for `key`, over and over.
  func hop(_ times: Int, besideReaderOf key: DispatchSpecificKey<Int>) {
    let reader = Reader()
    onThreads(2) {
      if reader.isFirst() {
        while !reader.isOver {
          precondition(self.a.getSpecific(key: key) == 1 && self.b.getSpecific(key: key) == 2)
        }
      } else {
        self.hop(times)
        reader.end()
      }
    }
  }

  /// Goes from A to B and back so many times.
  func hop(_ times: Int) {
    hop(times) { [arrived] in arrived.signal() }
    arrived.wait()
  }

  /// Does the same and calls `then` from the last item on A.
  func hop(_ times: Int, then: @escaping @Sendable () -> Void) {
    left = times
    self.then = then
    a.async { self.onA() }
  }

  private func onA() {
    guard left > 0 else {
      then?()
      return
    }
    left -= 1
    b.async { self.onB() }
  }

  private func onB() {
    a.async { self.onA() }
  }
}

/// Which of two threads reads, and for how long.
private final class Reader: Sendable {
  private let taken = Atomic<Bool>(false)
  private let over = Atomic<Bool>(false)

  // order: relaxed; the threads are joined.
  func isFirst() -> Bool { !taken.exchange(true, ordering: .relaxed) }
  var isOver: Bool { over.load(ordering: .relaxed) }
  func end() { over.store(true, ordering: .relaxed) }
}

/// When something was asked for and when it came.
// SAFETY: each field is touched by one item at a time.
private final class Moments: @unchecked Sendable {
  // SAFETY: each is written by one item and read after both items signalled.
  var submitted: UInt64 = 0
  var started: UInt64 = 0
}
