import BenchmarkRecord

/// One side of a row over all rounds.
public struct PeerReading: Codable, Equatable, Sendable {
  public var side: PeerSide
  /// Nanoseconds an operation.
  public var median: Double
  public var lowerQuartile: Double
  public var upperQuartile: Double
  public var rounds: Int
  /// Nanoseconds an operation, the median of the rounds.
  public var processorTime: Double
  /// `nil` where the kernel did not let `perf` count them, or nobody asked.
  public var instructions: Double?
  public var systemCalls: Double?

  /// `nil` if no round came to a result.
  init?(_ side: PeerSide, _ samples: [PeerSample], _ counts: Counts?) {
    if samples.isEmpty { return nil }
    let medians = Quantiles(samples.map(\.median))
    self.side = side
    median = rounded(medians.median)
    lowerQuartile = rounded(medians.lowerQuartile)
    upperQuartile = rounded(medians.upperQuartile)
    rounds = samples.count
    processorTime = rounded(Quantiles(samples.map(\.processorTime)).median)
    instructions = counts?.instructions.map { rounded($0) }
    systemCalls = counts?.systemCalls.map { rounded($0) }
  }
}

/// A row: ours and every peer's reading, and ours against the best of them.
public struct PeerComparison: Codable, Equatable, Sendable {
  /// What ours may take of the best peer's time.
  public static let goal = 1.10

  public var row: String
  /// Whether all threads of each process ran on one processor.
  public var pinned: Bool
  public var readings: [PeerReading]
  /// Median and quartiles of the rounds' ratios to the best peer. Each ratio is of two readings of
  /// the same round.
  public var ratioMedian: Double?
  public var ratioLowerQuartile: Double?
  public var ratioUpperQuartile: Double?
  /// The nanoseconds in which a cache line passed from one processor to another, the median over the
  /// rounds; `nil` if that was not measured.
  public var transfer: Double?
  public var date: String

  /// - Parameters:
  ///   - sides: in the order in which they are shown.
  ///   - rounds: those at one distance are compared.
  public init(
    row: String, pinned: Bool, sides: [PeerSide], rounds all: [PeerRound],
    counts: [PeerSide: Counts], date: String
  ) {
    self.row = row
    self.pinned = pinned
    self.date = date
    let rounds = all.comparable
    transfer = rounds.transfer
    readings = sides.compactMap { side in
      PeerReading(side, rounds.compactMap { $0.samples[side] }, counts[side])
    }
    guard let best else { return }
    let ratios = rounds.compactMap { round -> Double? in
      guard let ours = round.samples[.signalbox], let theirs = round.samples[best.side] else {
        return nil
      }
      return ours.median / theirs.median
    }
    guard !ratios.isEmpty else { return }
    let quantiles = Quantiles(ratios)
    // What a goal is judged by is not rounded.
    ratioMedian = quantiles.median
    ratioLowerQuartile = rounded(quantiles.lowerQuartile)
    ratioUpperQuartile = rounded(quantiles.upperQuartile)
  }

  /// Tells the row's two readings apart.
  public var name: String { row + (pinned ? "-pinned" : "") }

  public var signalbox: PeerReading? { readings.first { $0.side == .signalbox } }
  public var peers: [PeerReading] { readings.filter { $0.side != .signalbox } }

  /// The peer with the smallest median over all rounds.
  public var best: PeerReading? { peers.min { $0.median < $1.median } }

  public var verdict: Comparison.Verdict {
    guard let ratioMedian else { return .failed }
    return ratioMedian <= Self.goal ? .met : .missed
  }
}
