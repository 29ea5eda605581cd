import BenchmarkRecord

/// One thing whose cost is measured, alike on both sides.
struct Subject: Sendable {
  /// Short and stable: it is typed after `--only` and names rows over time.
  let name: String
  /// The row's first column, as Markdown.
  let title: String
  let goal: Goal
  /// Whether it is also measured with the process pinned to one processor.
  var pinned = false
  /// Where a sample's size is tried out from, and its smallest. Contended
  /// subjects have phases, some ten times slower, and a sample must see several.
  var leastOperations = 16
  /// How many operations make a count per operation steady; fewer for an
  /// operation that is itself long, none where counts would mean nothing.
  var countedOperations = 2_000
  /// Which quantile of a latency is shown beside its median.
  var tail = 0.9
  let measurement: Measurement
}

enum Measurement: Sendable {
  /// Makes ready, and returns what performs so many operations and comes back
  /// when every one is done.
  case cost(@Sendable () -> (_ operations: Int) -> Void)

  /// Performs so many trials and returns the nanoseconds each took. With a goal
  /// for it, the processor time a trial, its pauses included, is a second row.
  case latency(
    trials: Int, processorTime: Goal?, @Sendable (_ trials: Int) -> [UInt64])

  /// Happens once; gives up when `timeout` nanoseconds have passed.
  case episode(@Sendable (_ timeout: UInt64) -> Episode)

  /// Comes to one figure by itself.
  case figure(unit: String, @Sendable (Effort) -> Double)
}

/// How far something that should happen in one go got.
struct Episode {
  var nanoseconds: UInt64
  var arrived: Int
  var expected: Int
}

extension Subject {
  var listing: Listing {
    let kind: Listing.Kind =
      switch measurement {
      case .cost: .cost
      case .latency: .latency
      case .episode, .figure: .episode
      }
    return Listing(
      name: name, kind: kind, pinned: pinned,
      countedOperations: kind == .episode ? 0 : countedOperations,
      leastOperations: leastOperations, alone: goal.isAlone)
  }
}
