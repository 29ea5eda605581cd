import BenchmarkRecord

/// How far apart the two processors of a virtual machine are. The host moves them: now they share a
/// cache, now they do not, and then a cache line takes several times as long from one to the other.
/// So does a program that hands work to another thread.
public enum Distance: Sendable {
  case near
  case far

  /// On the machines that were measured a transfer takes 20 to 60 ns within a shared cache, and 90
  /// to 200 otherwise.
  private static let limit = 75.0

  init(transfer: Double) { self = transfer < Distance.limit ? .near : .far }
}

/// The nanoseconds in which a cache line passed from one processor to another, before a round and
/// after it.
public struct Transfers: Sendable {
  public var before: Double
  public var after: Double

  public init(before: Double, after: Double) {
    self.before = before
    self.after = after
  }

  /// `nil` if the processors were moved in between.
  var distance: Distance? {
    let distance = Distance(transfer: before)
    return distance == Distance(transfer: after) ? distance : nil
  }
}

/// A round, in which all sides of a row ran one right after the other.
protocol AtADistance {
  /// `nil` if they were not measured.
  var transfers: Transfers? { get }
  /// Whether there is something to compare.
  var isComplete: Bool { get }
}

extension Array where Element: AtADistance {
  /// The complete rounds at the distance at which most of them were; all rounds if the processors
  /// were moved in each, or nobody measured.
  var comparable: [Element] {
    let near = filter { $0.isComplete && $0.transfers?.distance == .near }
    let far = filter { $0.isComplete && $0.transfers?.distance == .far }
    let most = near.count >= far.count ? near : far
    return most.isEmpty ? self : most
  }

  /// The median transfer; `nil` if nobody measured.
  var transfer: Double? {
    let all = compactMap(\.transfers).flatMap { [$0.before, $0.after] }
    return all.isEmpty ? nil : rounded(Quantiles(all).median)
  }
}
