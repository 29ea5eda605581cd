// SeenTimes — how long the items of queues waited and ran, as it was read. See `TimeRows` of the engine.

/// The times of one queue, or the sums of several queues.
struct SeenTimes {
  enum Scope: String { case queue, ended, others }

  let scope: Scope
  /// The address of the queue; 0 for sums.
  let object: UInt64
  /// Empty for the sum of all others, as the label is.
  let kind: String
  let label: String
  let mostWaiting: UInt64
  let unmeasured: UInt64
  let waits: SeenHistogram
  let runs: SeenHistogram

  /// The value of the label `id` of its metrics.
  var id: String { scope == .queue ? "0x\(String(object, radix: 16))" : scope.rawValue }
}

/// A histogram with the buckets that `TimeBuckets` of the engine describes: one for each nanosecond
/// up to `perOctave` nanoseconds, and from there `perOctave` buckets for each power of two.
struct SeenHistogram {
  /// A power of two.
  let perOctave: Int
  let buckets: [UInt64]
  /// In nanoseconds. It is read before the buckets.
  let sum: UInt64
  let longest: UInt64

  var count: UInt64 { buckets.reduce(0, &+) }

  /// How many durations are at most two to the power of `bit` nanoseconds. That bound must be at
  /// least `perOctave`.
  func count(upToBit bit: Int) -> UInt64 {
    let octaves = bit - perOctave.trailingZeroBitCount + 1
    return buckets.prefix(max(0, octaves) * perOctave).reduce(0, &+)
  }

  /// What has been added since an earlier reading.
  func since(_ before: SeenHistogram?) -> SeenHistogram {
    guard let before, before.buckets.count == buckets.count else { return self }
    // Another queue may have got the row. The result is then wrong for one sample, but no number is
    // negative.
    let added = zip(buckets, before.buckets).map { $0 >= $1 ? $0 - $1 : 0 }
    return SeenHistogram(
      perOctave: perOctave, buckets: added, sum: sum >= before.sum ? sum - before.sum : 0,
      longest: longest)
  }

  /// The time that the fraction `part` of all times does not exceed, in nanoseconds; nil if there
  /// are no times.
  func quantile(_ part: Double) -> UInt64? {
    let count = count
    guard count > 0 else { return nil }
    let wanted = max(1, (part * Double(count)).rounded(.up))
    var seen = 0.0
    for (index, number) in buckets.enumerated() where number > 0 {
      seen += Double(number)
      guard seen >= wanted else { continue }
      let (lower, upper) = (lowerBound(of: index), min(lowerBound(of: index + 1), longest))
      return upper <= lower ? upper : lower + (upper - lower + 1) / 2
    }
    return longest
  }

  /// Times in the bucket are above this.
  private func lowerBound(of index: Int) -> UInt64 {
    let octave = index / perOctave
    let within = UInt64(index % perOctave)
    return octave == 0 ? within : (UInt64(perOctave) + within) << UInt64(octave - 1)
  }
}
