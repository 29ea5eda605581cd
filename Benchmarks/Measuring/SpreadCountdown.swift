/// A `Countdown` for many processors: items arrive at one of 64 counters, each in memory of its own,
/// so that the counting itself does not make them wait for each other.
final class SpreadCountdown: Sendable {
  private let counters = (0..<64).map { _ in Counter() }
  private let all = Countdown()

  /// Before the first item is submitted. Each of the producers will have items with the numbers from 0
  /// up to `items`.
  func expect(_ items: Int, of producers: Int = 1) {
    all.expect(min(items, counters.count))
    for (index, counter) in counters.enumerated() {
      let rounds = items / counters.count + (index < items % counters.count ? 1 : 0)
      counter.expect(producers * rounds)
    }
  }

  func arrive(_ number: Int) {
    if counters[number % counters.count].arrive() { all.arrive() }
  }

  func wait() { all.wait() }
}
