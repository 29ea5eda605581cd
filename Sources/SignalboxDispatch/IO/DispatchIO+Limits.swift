// DispatchIO+Limits — how much data a channel's handlers receive at a time, and how often.

extension DispatchIO {
  /// Sets the maximum number of bytes that a handler receives at a time; at least 1. It
  /// applies to operations that you submit from now on. A low-water mark above it is
  /// lowered to it.
  ///
  /// - Parameter highWater: the number of bytes; unlimited by default.
  public func setLimit(highWater: Int) { channel.changeLimits { $0.setHigh(highWater) } }

  /// Sets the minimum number of bytes that a handler receives at a time. The last call of an
  /// operation, and calls at a strict interval, may have fewer. It applies to operations that
  /// you submit from now on. A high-water mark below it is raised to it.
  ///
  /// Set it to 1 to receive everything as soon as it arrives.
  ///
  /// - Parameter lowWater: the number of bytes; 512 KiB by default.
  public func setLimit(lowWater: Int) { channel.changeLimits { $0.setLow(lowWater) } }

  /// Calls the handlers of operations that you submit from now on at regular intervals, with the
  /// bytes that have arrived, if they reach the low-water mark.
  ///
  /// A handler that still runs at the end of an interval is called at the end of the next one.
  ///
  /// - Parameters:
  ///   - interval: the interval, counted from the beginning of the operation. Zero, a negative
  ///     value and `.never` mean none.
  ///   - flags: with `.strictInterval`, handlers are called even with fewer bytes, or none.
  public func setInterval(
    interval: DispatchTimeInterval, flags: DispatchIO.IntervalFlags = []
  ) {
    let (length, isStrict) = (interval.saturatedNanoseconds, flags.contains(.strictInterval))
    channel.changeLimits { $0.setInterval(length, isStrict: isStrict) }
  }
}
