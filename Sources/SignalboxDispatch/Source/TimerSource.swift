// TimerSource — the source for times.
//
// Touching    `timer`: see `SourceTimer`. `mustEnd`: the source's runs.

import SignalboxRuntime
import Synchronization

final class TimerSource: SourceCore, @unchecked Sendable {  // SAFETY: see Touching.
  // The timer. The driver changes it under its own lock, independently of the source.
  @exclusivity(unchecked)
  private var timer = SourceTimer(TimerSource.isDue)
  /// The address of the timer. An object and its fields do not move. It is taken once, because
  /// taking it is an access to the timer, which the driver may be changing.
  // SAFETY: set before the source is published.
  private var pointer: SourceTimer.Pointer!
  /// Whether the timer's firing must be ended once the handler has returned.
  // SAFETY: read and written by the source's runs, which never overlap.
  private var mustEnd = false

  /// Whether the program says when the timer is due.
  let takesSchedule: Bool

  init(mask: UInt, target: consuming TargetReference) {
    takesSchedule = true
    super.init(handle: 0, mask: mask, target: target)
    prepare()
  }

  /// A timer that is due at each multiple of `period` nanoseconds on the uptime clock.
  init(period: UInt64, handle: UInt, mask: UInt, target: consuming TargetReference) {
    takesSchedule = false
    super.init(handle: handle, mask: mask, target: target)
    prepare()
    let next = (Clock.uptime.now / period).addingReportingOverflow(1).partialValue
    let (due, overflow) = next.multipliedReportingOverflow(by: period)
    schedule(
      SourceTimer.Schedule(
        deadline: overflow ? .never : Deadline(.uptime, due), interval: period, leeway: period / 2))
  }

  private func prepare() {
    timer.belongs(to: self)
    pointer = withUnsafeMutablePointer(to: &timer) { $0 }  // SAFETY: see `pointer`.
  }

  private static let isDue: TimerNode.Function = { raw in
    // SAFETY: the owner is the source.
    let owner = SourceTimer.takeOwner(raw)
    owner._withUnsafeGuaranteedRef { unsafeDowncast($0, to: TimerSource.self).wakeInAnyCase() }
    owner.release()  // SAFETY: retained when the timer was taken out.
  }

  override var kindName: String { takesSchedule ? "timer source" : "interval source" }

  /// The label of the queue of a pending timer's source. The caller holds the driver's lock.
  static func queueLabel(_ timer: TimerPointer) -> String? {
    // SAFETY: the owner is the source, which lives until it has removed the timer. The source
    // keeps all of its queues, so no reference here is the last one.
    SourceTimer.report(timer).owner?._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: TimerSource.self).target.queue.label
    }
  }

  // MARK: Scheduling

  /// Sets when the timer is due. Due times of the old schedule that have not been reported
  /// are dropped.
  func schedule(_ schedule: SourceTimer.Schedule) {
    Engine.driver._withUnsafeGuaranteedRef { $0.schedule(pointer, schedule) }
  }

  override func install() -> Int32 {
    Engine.driver._withUnsafeGuaranteedRef { $0.activate(pointer) }
    return 0
  }

  override func uninstall() {
    Engine.driver._withUnsafeGuaranteedRef { $0.cancel(pointer) }
  }

  override func takeData() -> UInt? {
    let fires = Engine.driver._withUnsafeGuaranteedRef { $0.takeFires(pointer) }
    mustEnd = fires.mustEnd
    return fires.count == 0 ? nil : fires.count
  }

  override func rearm() {
    if mustEnd && Engine.driver._withUnsafeGuaranteedRef({ $0.endFiring(pointer) }) {
      wakeInAnyCase()
    }
  }

  /// A run reads the firing without the driver's lock, so the source's word orders it (SS1). It does
  /// so only if it is written.
  private func wakeInAnyCase() {
    if state.enqueueForEvent() { push() }
  }
}
