/// How much is done for one number.
struct Effort {
  /// Long enough that the clock, the first item and one preemption do not
  /// matter; short enough that both sides are measured within one quiet moment.
  var nanosecondsPerSample: UInt64 = 25_000_000
  var samples = 5
  /// The operations in a sample, where they are not to fill a time.
  var operations: Int?
  /// Divides the trials of a latency subject.
  var trialDivisor = 1
  /// How long an episode may take. The toolchain would need 61 s for one.
  var timeout: UInt64 = 3_000_000_000

  static let full = Effort()
  /// Everything once and tiny: it shows that all subjects work, no more.
  static let quick = Effort(
    samples: 1, operations: 16, trialDivisor: 50, timeout: 100_000_000)
}
