// Time+Distance — what Apple's times get from `Strideable`, and the toolchain's times lack on
// Linux.

extension DispatchTime {
  /// The time `n` after this one.
  public func advanced(by n: DispatchTimeInterval) -> DispatchTime { self + n }

  /// The interval from this time to `other`; `.never` if exactly one of them is the distant
  /// future.
  public func distance(to other: DispatchTime) -> DispatchTimeInterval {
    interval(
      from: rawValue, to: other.rawValue,
      areFuture: (self == .distantFuture, other == .distantFuture))
  }
}

extension DispatchWallTime {
  /// The time `n` after this one.
  public func advanced(by n: DispatchTimeInterval) -> DispatchWallTime { self + n }

  /// The interval from this time to `other`; `.never` if exactly one of them is the distant
  /// future.
  public func distance(to other: DispatchWallTime) -> DispatchTimeInterval {
    interval(
      from: 0 &- rawValue, to: 0 &- other.rawValue,
      areFuture: (self == .distantFuture, other == .distantFuture))
  }
}

private func interval(
  from start: UInt64, to end: UInt64, areFuture: (Bool, Bool)
) -> DispatchTimeInterval {
  switch areFuture {
  case (true, true): .nanoseconds(0)
  case (true, false), (false, true): .never
  case (false, false): .nanoseconds(Int(Int64(bitPattern: end &- start)))
  }
}

extension DispatchTime: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension DispatchWallTime: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
