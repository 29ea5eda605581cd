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
      Burst.lateness(items: items, window: 100_000_000)
    })

  /// So few that a wake-up for each costs less than a hundredth of a processor.
  static let asyncAfterSteady = Subject(
    name: "async-after-steady",
    title: "`asyncAfter`: lateness of items due a millisecond apart",
    goal: .ratio(1.0, required: false),
    countedOperations: 0,
    measurement: .latency(trials: 500, processorTime: .ratio(1.0, required: false)) { items in
      Burst.lateness(items: items, window: UInt64(items) * 1_000_000)
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
        let run = Burst(items: items, window: 100_000_000)
        let start = cbench_now()
        run.submit()
        let submitted = cbench_now() - start
        run.wait()
        return Double(submitted + run.overtime) / Double(items)
      }
      return costs.dropFirst().sorted()[(costs.count - 1) / 2]
    })
}

/// Items that fall due within some time, in no order, on one queue.
// SAFETY: `lateness` and `last` are touched by the items of one serial queue, and read
// after the countdown.
private final class Burst: @unchecked Sendable {
  private let queue = DispatchQueue(label: "async-after-fired")
  private let countdown = Countdown()
  private let items: Int
  private let window: UInt64
  /// Late enough that every item is submitted before the first is due.
  private let begin = cbench_now() + 50_000_000
  // SAFETY: as above.
  private(set) var lateness: [UInt64]
  private var last: UInt64 = 0

  init(items: Int, window: UInt64) {
    self.items = items
    self.window = window
    lateness = [UInt64](repeating: 0, count: items)
    countdown.expect(items)
  }

  static func lateness(items: Int, window: UInt64) -> [UInt64] {
    let run = Burst(items: items, window: window)
    run.submit()
    run.wait()
    return run.lateness
  }

  func submit() {
    let step = window / UInt64(items)
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
    let end = begin + window
    return last > end ? last - end : 0
  }
}
