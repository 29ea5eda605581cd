// LoopLook — a loop as a report shows it.

import SignalboxDispatch
import SignalboxRuntime

/// What could be seen of a loop under its lock.
struct LoopLook {
  let thread: UInt32
  let isMain: Bool
  let mode: CFRunLoopMode?
  let depth: Int
  let isAsleep: Bool
  let step: UInt8
  let timers: Int
  /// On the uptime clock.
  let nextTimer: UInt64
  let blocks: Int

  /// The same for the report. Without any lock.
  var glance: LoopGlance {
    let now = Clock.uptime.now
    let sleeps = isAsleep && mode != nil
    let words = mode == nil || sleeps ? nil : LoopStep(number: UInt64(step))?.words
    return LoopGlance(
      thread: thread, isMain: isMain, mode: mode?.rawValue, depth: depth, isAsleep: sleeps,
      step: words ?? "", timers: timers,
      nextTimer: nextTimer == UptimeLimit.never
        ? nil : Int64(clamping: Int128(nextTimer) - Int128(now)),
      blocks: blocks)
  }
}

extension CFRunLoop {
  /// Under the registry's lock, perhaps within the loop's end: nothing is allocated or freed,
  /// and no reference to the loop made. nil if its thread has ended.
  var look: LoopLook? {
    lock.lock()
    defer { lock.unlock() }
    if hasEnded { return nil }
    let mode = runs.last
    return LoopLook(
      thread: thread, isMain: isMain, mode: mode?.name, depth: runs.count,
      isAsleep: state.isAsleep,
      step: lastStep.load(ordering: .relaxed),  // order: relaxed; a note, for reports.
      timers: mode?.timers.count ?? 0, nextTimer: mode?.timers.next ?? UptimeLimit.never,
      blocks: coming.count + comingCalls.count)
  }
}
