import BenchmarkRecord
import CBenchmark

extension Subject {
  /// Two threads, each asleep in its loop but when the other sends it a message; beside two
  /// that have each other perform something. In turn, so that both meet the same machine.
  static let portRoundTrip = Subject(
    name: "port-round-trip",
    title: "a message to a port of another thread, there and back: against `RunLoop.perform`",
    goal: .value(1.5),
    pinned: true,
    measurement: .figure(unit: "×") { effort in
      let performs = RoundTrip(there: PerformingThread().calls, back: PerformingThread().calls)
      let messages = MessageRoundTrip(there: PerformingThread(), back: PerformingThread())
      let operations = effort.operations ?? 1_000
      func cost(_ make: (Int) -> Void) -> Double {
        let start = cbench_now()
        make(operations)
        return Double(cbench_now() - start)
      }
      // The first pair warms up.
      let ratios = (0...4 * effort.samples).map { _ in cost(messages.make) / cost(performs.make) }
      return Quantiles(ratios.dropFirst()).median
    })
}

/// A message that goes from one loop to another and back; it says how often it still is to.
// SAFETY: the ports are set before the first message is sent.
private final class MessageRoundTrip: @unchecked Sendable {
  private var there: LoopPort?
  private var back: LoopPort?
  private let isOver = DispatchSemaphore(value: 0)

  init(there: PerformingThread, back: PerformingThread) {
    let areMade = DispatchSemaphore(value: 0)
    there.calls.perform {
      self.there = LoopPort { left in self.back?.send(left, from: self.there) }
      areMade.signal()
    }
    areMade.wait()
    back.calls.perform {
      self.back = LoopPort { left in
        if left == 1 { return _ = self.isOver.signal() }
        self.there?.send(left - 1, from: self.back)
      }
      areMade.signal()
    }
    areMade.wait()
  }

  func make(_ times: Int) {
    there?.send(times, from: back)
    isOver.wait()
  }
}
