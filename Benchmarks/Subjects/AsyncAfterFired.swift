import CBenchmark
import Synchronization

extension Subject {
  /// A trial is an item: how late it is, and what it costs.
  static let asyncAfterFired = Subject(
    name: "async-after-fired",
    title: "`asyncAfter`: lateness of 10,000 items due within the same 100 ms",
    goal: .none,
    countedOperations: 0,
    measurement: .latency(trials: 10_000, processorTime: .ratio(0.50, required: false)) { items in
      let run = Burst(items: items)
      run.submit()
      run.wait()
      return run.lateness
    })

  /// The time that the hundred milliseconds themselves do not explain: of the
  /// submission, and from the last deadline until the last item ran.
  static let asyncAfterFiredTime = Subject(
    name: "async-after-fired-time",
    title: "the same, time on the clock an item for submission and what is late",
    goal: .ratio(0.50, required: false),
    measurement: .figure(unit: "ns") { effort in
      let items = 10_000
      let costs = (0..<max(2, effort.samples)).map { _ in
        let run = Burst(items: items)
        let start = cbench_now()
        run.submit()
        let submitted = cbench_now() - start
        run.wait()
        return Double(submitted + run.overtime) / Double(items)
      }
      return costs.dropFirst().sorted()[(costs.count - 1) / 2]
    })
}

/// Items that fall due within a hundred milliseconds, in no order, on one queue.
// SAFETY: `lateness` and `last` are touched by the items of one serial queue, and read
// after the countdown.
private final class Burst: @unchecked Sendable {
  private static let window: UInt64 = 100_000_000

  private let queue = DispatchQueue(label: "async-after-fired")
  private let countdown = Countdown()
  private let items: Int
  /// Late enough that every item is submitted before the first is due.
  private let begin = cbench_now() + 50_000_000
  // SAFETY: as above.
  private(set) var lateness: [UInt64]
  private var last: UInt64 = 0

  init(items: Int) {
    self.items = items
    lateness = [UInt64](repeating: 0, count: items)
    countdown.expect(items)
  }

  func submit() {
    let step = Self.window / UInt64(items)
    for number in 0..<items {
      // Steps by a prime: in no order.
      let due = begin + UInt64(number * 7_919 % items) * step
      queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: due)) { [self] in
        let now = cbench_now()
        lateness[number] = now - due
        last = now
        countdown.arrive()
      }
    }
  }

  func wait() { countdown.wait() }

  /// How long after the last deadline the last item ran.
  var overtime: UInt64 {
    let end = begin + Self.window
    return last > end ? last - end : 0
  }
}
