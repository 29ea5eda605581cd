// ModeTimers — the timers of one mode, by when they are due.
//
// Touching    everything: under the loop's lock.

import FoundationEssentials
import SignalboxRuntime

struct ModeTimers {
  /// All of them.
  var items: [RunLoopItem] { [] }

  var isEmpty: Bool { true }

  /// When the first is due, on the uptime clock.
  var next: UInt64 { UptimeLimit.never }
}

extension CFRunLoop {
  /// Step 9: fires the timers of the mode that are due.
  func fireTimers(_ mode: LoopMode) {}
}

extension CFRunLoop {
  /// When the next timer of a mode is due; nil if there is none. Any thread.
  func nextFireDate(_ name: CFRunLoopMode) -> Date? {
    let next = lock.withLock { existingMode(named: name)?.timers.next } ?? UptimeLimit.never
    if next == UptimeLimit.never { return nil }
    let now = Clock.uptime.now
    let left = next > now ? Double(next - now) : -Double(now - next)
    return Date(timeIntervalSinceReferenceDate: CFAbsoluteTime.current + left / 1e9)
  }
}
