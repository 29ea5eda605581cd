// IOLimits — how much is handed to a handler at a time, and how often.

struct IOLimits: Sendable {
  /// At most so many bytes at a time.
  private(set) var high = Int.max
  /// At least so many bytes at a time, but for the end.
  private(set) var low = IOLimits.defaultLow
  /// Every so many nanoseconds, if there is enough; 0 for not by time.
  private(set) var interval: Int64 = 0
  /// By time even if there is less.
  private(set) var isStrict = false

  /// As the toolchain's, so that a program hears as often as it is used to.
  static let defaultLow = 512 * 1024

  /// A timer's lateness: more often would be the same, at the cost of a processor.
  private static var shortestInterval: Int64 { 50_000 }

  mutating func setHigh(_ bytes: Int) {
    high = max(IOLimits.size(bytes), 1)
    low = min(low, high)
  }

  mutating func setLow(_ bytes: Int) {
    low = IOLimits.size(bytes)
    high = max(high, low)
  }

  mutating func setInterval(_ nanoseconds: Int64, isStrict: Bool) {
    let isNone = nanoseconds <= 0 || nanoseconds == Int64.max
    interval = isNone ? 0 : max(nanoseconds, IOLimits.shortestInterval)
    self.isStrict = isStrict
  }

  /// Everything in one piece.
  static var whole: IOLimits {
    var limits = IOLimits()
    limits.setLow(Int.max)
    return limits
  }

  /// What C programs call SIZE_MAX arrives here as -1.
  static func size(_ bytes: Int) -> Int { bytes < 0 ? Int.max : bytes }
}
