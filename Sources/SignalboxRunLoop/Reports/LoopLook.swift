// LoopLook — a snapshot of a loop for reports.

import SignalboxDiagnostics
import SignalboxRuntime

/// The state of a loop, copied under its lock.
struct LoopLook {
  let thread: UInt32
  let isMain: Bool
  let mode: CFRunLoopMode?
  let depth: Int
  let isAsleep: Bool
  let step: UInt8
  let timers: Int
  /// The deadline on the uptime clock.
  let nextTimer: UInt64
  let blocks: Int

  /// Converts the snapshot for the report. Call without any lock.
  var report: SignalboxReport.RunLoop {
    let now = Clock.uptime.now
    let sleeps = isAsleep && mode != nil
    let words = mode == nil || sleeps ? nil : LoopStep(number: UInt64(step))?.words
    return SignalboxReport.RunLoop(
      thread: thread, isMain: isMain, mode: mode?.rawValue, depth: depth, isAsleep: sleeps,
      step: words, timers: timers,
      nextTimer: nextTimer == UptimeLimit.never
        ? nil : Int64(clamping: Int128(nextTimer) - Int128(now)),
      blocks: blocks)
  }
}

extension CFRunLoop {
  /// Copies the loop's state, or returns nil if its thread has ended. The caller holds the
  /// registry's lock, and the loop may be in its deinitializer: allocate and free nothing, and
  /// do not retain the loop.
  var look: LoopLook? {
    lock.lock()
    defer { lock.unlock() }
    if hasEnded { return nil }
    let mode = runs.last
    return LoopLook(
      thread: thread, isMain: isMain, mode: mode?.name, depth: runs.count,
      isAsleep: state.isAsleep,
      step: lastStep.load(),
      timers: mode?.timers.count ?? 0, nextTimer: mode?.timers.next ?? UptimeLimit.never,
      blocks: coming.count + comingCalls.count)
  }
}
