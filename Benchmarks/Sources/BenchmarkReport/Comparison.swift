public import BenchmarkRecord

/// One side of a row: a reading over all rounds.
public struct Reading: Codable, Equatable, Sendable {
  public var median: Double
  public var lowerQuartile: Double
  public var upperQuartile: Double
  public var minimum: Double
  public var maximum: Double
  public var rounds: Int
  /// Context switches an operation, the median over the rounds.
  public var switches: Double
  /// What a number alone would not say; the last round's.
  public var note: String

  /// Of what the rounds recorded; `nil` if none did.
  public init?(_ records: [Record]) {
    guard let last = records.last else { return nil }
    let medians = Quantiles(records.map(\.median))
    median = rounded(medians.median)
    lowerQuartile = rounded(medians.lowerQuartile)
    upperQuartile = rounded(medians.upperQuartile)
    minimum = rounded(medians.minimum)
    maximum = rounded(medians.maximum)
    rounds = records.count
    switches = rounded(Quantiles(records.map(\.switches)).median)
    note = last.note
  }
}

/// A row of the table: both sides of one reading, and what ours has to reach.
public struct Comparison: Codable, Equatable, Sendable {
  public enum Verdict: Equatable, Sendable {
    case met
    case missed
    /// There is no goal.
    case open
    /// A side has no reading: its process failed in every round.
    case failed
  }

  public var subject: String
  public var name: String
  public var title: String
  public var unit: String
  public var goal: Goal
  public var signalbox: Reading?
  public var toolchain: Reading?
  /// Median and quartiles of the rounds' ratios. Each ratio is of two readings taken one right
  /// after the other, when the machine was in the same mood. A row measured before the median was
  /// kept has none.
  public var ratioMedian: Double?
  public var ratioLowerQuartile: Double?
  public var ratioUpperQuartile: Double?
  /// The nanoseconds in which a cache line passed from one processor to another, the median over the
  /// rounds; `nil` if that was not measured.
  public var transfer: Double?
  public var date: String

  /// Of the rounds at one distance.
  public init?(rounds all: [Round], date: String) {
    let rounds = all.comparable
    guard let some = rounds.lazy.compactMap({ $0.signalbox ?? $0.toolchain }).first else {
      return nil
    }
    subject = some.subject
    name = some.name
    title = some.title
    unit = some.unit
    goal = some.goal
    signalbox = Reading(rounds.compactMap(\.signalbox))
    toolchain = Reading(rounds.compactMap(\.toolchain))
    let ratios = rounds.compactMap { round -> Double? in
      guard let ours = round.signalbox, let theirs = round.toolchain, theirs.median > 0 else {
        return nil
      }
      return ours.median / theirs.median
    }
    if !ratios.isEmpty {
      let quantiles = Quantiles(ratios)
      ratioMedian = rounded(quantiles.median, to: 1_000_000)
      ratioLowerQuartile = rounded(quantiles.lowerQuartile)
      ratioUpperQuartile = rounded(quantiles.upperQuartile)
    }
    transfer = rounds.transfer
    self.date = date
  }

  /// Ours divided by the toolchain's: the median of the rounds' ratios, by which a goal is judged.
  /// The medians' ratio can lie outside the ratios' quartiles, since the machine's speed changes
  /// between rounds; it stands in only for a row that has no `ratioMedian`.
  public var ratio: Double? {
    if let ratioMedian { return ratioMedian }
    guard let signalbox, let toolchain, toolchain.median > 0 else { return nil }
    return signalbox.median / toolchain.median
  }

  /// Whether `ratio` is that of the medians, for want of the rounds'.
  var hasRatioOfMedians: Bool { ratioMedian == nil && ratio != nil }

  public var isRequired: Bool { goal.isRequired }

  public var verdict: Verdict {
    guard let signalbox, ratio != nil || goal.isAlone else { return .failed }
    switch goal {
    case .ratio(let limit, _): return ratio.map { $0 <= limit } == true ? .met : .missed
    // What did not come to its end in time is no value below any limit.
    case .value(let limit), .alone(let limit, _):
      return signalbox.note.isEmpty && signalbox.median <= limit ? .met : .missed
    case .none: return .open
    }
  }
}

extension Comparison {
  /// Whether a reader wants to know why: it misses its goal, or has none and is slower.
  var needsReason: Bool {
    verdict == .missed || verdict == .open && ratio.map { $0 > 1 } == true
  }
}

/// To a thousandth: the files are kept, and further digits are noise. What a goal is judged by keeps
/// more, so that rounding does not decide.
func rounded(_ value: Double, to parts: Double = 1_000) -> Double {
  (value * parts).rounded() / parts
}

/// As the words that also the record's line has.
extension Goal: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let words = try container.decode(String.self)
    guard let goal = Goal(words) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no goal: \(words)")
    }
    self = goal
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
