// TimerSource — the kind of source that time wakes.
//
// Touching    `timer`: as `RepeatingTimer` says.

import SignalboxRuntime
import Synchronization

final class TimerSource: SourceCore, @unchecked Sendable {  // SAFETY: see Touching.
  // The driver changes it under its lock, whatever the source does.
  @exclusivity(unchecked)
  private var timer = RepeatingTimer(TimerSource.isDue)
  /// Where the timer stands. An object does not move, and its fields do not either. Taken
  /// once: to take it is an access to the timer, which the driver may be changing.
  // SAFETY: set before anyone has the source.
  private var place: RepeatingTimer.Pointer!

  override init(mask: UInt, target: consuming TargetPlace) {
    super.init(mask: mask, target: target)
    timer.belongs(to: self)
    place = withUnsafeMutablePointer(to: &timer) { $0 }  // SAFETY: see `place`.
  }

  private static let isDue: TimerNode.Function = { raw in
    // SAFETY: the owner is the source.
    let owner = RepeatingTimer.takeOwner(raw)
    owner._withUnsafeGuaranteedRef { unsafeDowncast($0, to: TimerSource.self).wake() }
    owner.release()  // SAFETY: counted up when the timer was taken out.
  }

  override var kindName: String { "timer source" }

  /// Under the driver's lock, of a timer that is pending: the label of the source's queue.
  static func queueLabel(_ timer: TimerPointer) -> String? {
    // SAFETY: the owner is the source, which is there until it has taken the timer back; its
    // place keeps all of its queues, so that no reference is the last one here.
    RepeatingTimer.report(timer).owner?._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: TimerSource.self).target.queue.label
    }
  }

  // MARK: Scheduling

  /// Sets when it is due. What was due by the old schedule and was not told yet is
  /// forgotten.
  func schedule(_ schedule: RepeatingTimer.Schedule) {
    Engine.driver._withUnsafeGuaranteedRef { $0.schedule(place, schedule) }
  }

  override func install() -> Int32 {
    Engine.driver._withUnsafeGuaranteedRef { $0.activate(place) }
    return 0
  }

  override func uninstall() {
    Engine.driver._withUnsafeGuaranteedRef { $0.cancel(place) }
  }

  override func takeData() -> UInt? {
    let fires = Engine.driver._withUnsafeGuaranteedRef { $0.takeFires(place) }
    return fires == 0 ? nil : fires
  }

  override func rearm() {
    if Engine.driver._withUnsafeGuaranteedRef({ $0.armAgain(place) }) == .due { wake() }
  }
}
