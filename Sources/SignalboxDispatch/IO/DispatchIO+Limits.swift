// DispatchIO+Limits — how much a channel's handlers are told at a time, and how often.

extension DispatchIO {
  /// Has handlers be told of at most so many bytes at a time, at least one. For operations
  /// submitted from now on. A lower low-water mark follows.
  ///
  /// - Parameter highWater: bytes; without a limit until it is set.
  public func setLimit(highWater: Int) { channel.changeLimits { $0.setHigh(highWater) } }

  /// Has handlers be told only of so many bytes or more, but for the last call of an operation
  /// and for those that a strict interval brings. For operations submitted from now on. A higher
  /// high-water mark follows.
  ///
  /// Set it to 1 to be told of all that comes, at once.
  ///
  /// - Parameter lowWater: bytes; 512 KiB until it is set.
  public func setLimit(lowWater: Int) { channel.changeLimits { $0.setLow(lowWater) } }

  /// Has handlers of operations submitted from now on be called every so often with what there
  /// is, if that reaches the low-water mark.
  ///
  /// A handler that is still at work when the interval ends is called at the end of the next.
  ///
  /// - Parameters:
  ///   - interval: counted from an operation's beginning. None for zero, less, or `.never`.
  ///   - flags: with `.strictInterval`, handlers are called even if there is less, or nothing.
  public func setInterval(
    interval: DispatchTimeInterval, flags: DispatchIO.IntervalFlags = []
  ) {
    let (length, isStrict) = (interval.saturatedNanoseconds, flags.contains(.strictInterval))
    channel.changeLimits { $0.setInterval(length, isStrict: isStrict) }
  }
}
