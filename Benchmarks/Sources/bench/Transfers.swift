import BenchmarkReport
import CBenchmark

extension Transfers {
  /// Begins before a round and ends after it.
  struct Measurement {
    private let before: Double

    /// - Parameter isWanted: not if the round's programs run on one processor.
    init(isWanted: Bool) { before = isWanted ? cbench_line_transfer() : 0 }

    /// `nil` if nothing was measured: there may be one processor only.
    func end() -> Transfers? {
      guard before > 0 else { return nil }
      let after = cbench_line_transfer()
      return after > 0 ? Transfers(before: before, after: after) : nil
    }
  }
}
