// TimerSource — the source for times.
//
// Touching    `timer`: see `RepeatingTimer`.

import SignalboxRuntime
import Synchronization

final class TimerSource: SourceCore, @unchecked Sendable {  // SAFETY: see Touching.
  // The driver changes it under its own lock, independently of the source.
  @exclusivity(unchecked)
  private var timer = RepeatingTimer(TimerSource.isDue)
  /// The address of the timer. An object and its fields do not move. It is taken once, because
  /// taking it is an access to the timer, which the driver may be changing.
  // SAFETY: set before the source is published.
  private var place: RepeatingTimer.Pointer!

  override init(mask: UInt, target: consuming TargetReference) {
    super.init(mask: mask, target: target)
    timer.belongs(to: self)
    place = withUnsafeMutablePointer(to: &timer) { $0 }  // SAFETY: see `place`.
  }

  private static let isDue: TimerNode.Function = { raw in
    // SAFETY: the owner is the source.
    let owner = RepeatingTimer.takeOwner(raw)
    owner._withUnsafeGuaranteedRef { unsafeDowncast($0, to: TimerSource.self).wake() }
    owner.release()  // SAFETY: retained when the timer was taken out.
  }

  override var kindName: String { "timer source" }

  /// The label of the queue of a pending timer's source. The caller holds the driver's lock.
  static func queueLabel(_ timer: TimerPointer) -> String? {
    // SAFETY: the owner is the source, which lives until it has removed the timer. The source
    // keeps all of its queues, so no reference here is the last one.
    RepeatingTimer.report(timer).owner?._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: TimerSource.self).target.queue.label
    }
  }

  // MARK: Scheduling

  /// Sets when the timer is due. Due times of the old schedule that were not reported yet are
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
