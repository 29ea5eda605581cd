// IOLimits — how many bytes a handler receives at a time, and how often.

struct IOLimits: Sendable {
  /// The maximum number of bytes at a time.
  private(set) var high = Int.max
  /// The minimum number of bytes at a time, except at the end.
  private(set) var low = IOLimits.defaultLow
  /// The interval in nanoseconds between calls with enough bytes; 0 for none.
  private(set) var interval: Int64 = 0
  /// Whether the interval also applies with fewer bytes.
  private(set) var isStrict = false

  /// The toolchain's default, so that a program gets as many handler calls as with the toolchain.
  static let defaultLow = 512 * 1024

  /// About how late a timer may fire. A shorter interval would not fire sooner, and would keep a
  /// processor busy.
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

  static var whole: IOLimits {
    var limits = IOLimits()
    limits.setLow(Int.max)
    return limits
  }

  /// C's SIZE_MAX arrives here as -1.
  static func size(_ bytes: Int) -> Int { bytes < 0 ? Int.max : bytes }
}
