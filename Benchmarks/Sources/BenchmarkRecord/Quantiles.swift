/// Order statistics of a handful of measurements.
public struct Quantiles: Equatable, Sendable {
  private let sorted: [Double]

  /// Traps on an empty list: there is no median of nothing.
  public init(_ values: some Sequence<Double>) {
    sorted = values.sorted()
    precondition(!sorted.isEmpty, "no values to take a quantile of")
  }

  public var minimum: Double { sorted[0] }
  public var maximum: Double { sorted[sorted.count - 1] }
  public var median: Double { self[0.5] }
  public var lowerQuartile: Double { self[0.25] }
  public var upperQuartile: Double { self[0.75] }

  /// The value below which `fraction` of the values lie, interpolated linearly
  /// between its two neighbours.
  public subscript(fraction: Double) -> Double {
    let position = fraction * Double(sorted.count - 1)
    let below = Int(position.rounded(.down))
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (position - Double(below)) * (sorted[above] - sorted[below])
  }
}
