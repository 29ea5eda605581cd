// TimeBuckets — the buckets of a histogram of times: of equal width up to `perOctave` nanoseconds,
// and from there on `perOctave` buckets for each power of two.
//
// A bucket holds the times above its lower bound, up to and including its upper one, as in
// Prometheus. From `perOctave` nanoseconds on, a bucket is a thirty-second of its lower bound
// wide, or less. So its middle is wrong by at most 1.6 percent.
//
// Sources     G. Tene, HdrHistogram: buckets that are linear within each power of two.

/// Where a time is counted, in nanoseconds.
package enum TimeBuckets {
  /// A power of two.
  static let perOctave = 32
  private static let linearBits = 5
  /// The last bucket also counts all times above two to this power: 39 hours.
  private static let lastBit = 47

  package static var count: Int { perOctave * (lastBit - linearBits + 1) }

  static func index(of time: UInt64) -> Int {
    // One less, so that a bound belongs to the bucket below it.
    let value = time == 0 ? 0 : time - 1
    if value < UInt64(perOctave) { return Int(value) }
    let bit = 63 - value.leadingZeroBitCount
    if bit >= lastBit { return count - 1 }
    let within = Int(value >> UInt64(bit - linearBits)) & (perOctave - 1)
    return (bit - linearBits + 1) * perOctave + within
  }

  /// Times in the bucket are above this.
  static func lowerBound(of index: Int) -> UInt64 {
    let octave = index / perOctave
    let within = UInt64(index % perOctave)
    if octave == 0 { return within }
    return (UInt64(perOctave) + within) << UInt64(octave - 1)
  }

  /// Times in the bucket are at most this, except in the last bucket.
  static func upperBound(of index: Int) -> UInt64 { lowerBound(of: index + 1) }
}
