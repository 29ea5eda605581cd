// CFRunLoop+Timers — step 9: a loop fires the due timers of its mode.

import FoundationEssentials
import SignalboxRuntime

extension CFRunLoop {
  /// Fires the timers that are due when the step begins, each at most once, in the order of
  /// their dates. Reads the clock only if a timer is armed.
  func fireTimers(_ mode: LoopMode) {
    let first = lock.withLock { mode.timers.firstDue }
    if first == TimerSchedule.never { return }
    let now = TimerNow.uptimeNow
    if first <= now { fireTimers(mode, by: now) }
  }

  @inline(never)
  private func fireTimers(_ mode: LoopMode, by now: Int64) {
    if let timer = lock.withLock({ mode.timers.onlyDue(by: now) }) {
      return timer.fireIfDue(by: now, in: mode)
    }
    // No lock is held while a timer fires, so each timer is checked again at its turn.
    for timer in lock.withLock({ mode.timers.due(by: now) }) {
      timer.fireIfDue(by: now, in: mode)
    }
  }

  /// When the first timer of a mode is due, or nil if there is none. Call from any thread.
  func nextFireDate(_ name: CFRunLoopMode) -> Date? {
    let due = lock.withLock { () -> Int64? in
      guard let timers = existingMode(named: name)?.timers, !timers.isEmpty else { return nil }
      return timers.firstDue
    }
    guard let due else { return nil }
    return due == TimerSchedule.never ? .distantFuture : TimerNow.current.date(of: due)
  }

  /// When the first timer or delayed perform is due, or nil if there is none. Call on the
  /// loop's thread.
  func nextDate(_ name: CFRunLoopMode) -> Date? {
    let mode = lock.withLock { self.mode(named: name) }
    let due = performs.nextDeadline(for: mode)
    let ofPerform = due == UptimeLimit.never ? nil : TimerNow.current.date(of: Int64(due))
    return [nextFireDate(name), ofPerform].compactMap(\.self).min()
  }
}
