// Clock — the only place where clocks are read, and deadlines on these clocks.

import CSignalbox

/// A clock of the kernel.
@frozen
package enum Clock: UInt8, Sendable {
  /// CLOCK_MONOTONIC: time since boot, without suspension.
  case uptime
  /// CLOCK_REALTIME: the time of day, which may be stepped.
  case wall
  /// CLOCK_BOOTTIME: time since boot, with suspension. Only timers use it, because no
  /// futex can sleep on it.
  case continuous

  /// The time on this clock, in nanoseconds.
  @inlinable package var now: UInt64 {
    switch self {
    case .uptime: csb_clock_uptime()
    case .wall: csb_clock_wall()
    case .continuous: csb_clock_continuous()
    }
  }
}

extension Clock {
  /// The uptime at the kernel's last tick. Reading it takes a few nanoseconds; it is a
  /// few milliseconds behind.
  package static var coarseUptime: UInt64 { csb_clock_coarse() }
}

/// A point on a clock, or never.
@frozen
package struct Deadline: Sendable {
  package let clock: Clock
  /// Nanoseconds on `clock`; `UInt64.max` for never.
  package let nanoseconds: UInt64

  @inlinable package init(_ clock: Clock, _ nanoseconds: UInt64) {
    self.clock = clock
    self.nanoseconds = nanoseconds
  }

  @inlinable package static var never: Deadline { Deadline(.uptime, UInt64.max) }

  @inlinable package var isNever: Bool { nanoseconds == UInt64.max }

  /// Whether the deadline has passed. Reads the clock.
  @inlinable package var hasPassed: Bool { !isNever && clock.now >= nanoseconds }
}

extension UInt64 {
  /// How long after an earlier reading of the same clock this one is, or 0 if the clock went back:
  /// the kernel promises that it does not, but a process that is restored on another machine may see
  /// it.
  package func saturatingSubtract(_ earlier: UInt64) -> UInt64 {
    self > earlier ? self - earlier : 0
  }
}
