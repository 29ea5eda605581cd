// TimerSource — the kind of source that time wakes.
//
// Touching    `cell`: as `RepeatingTimer` says.
// Invariants  I1  a reference to the source is held for each time that the timer is
//                 pending, and handed to whoever is called for it.

import SignalboxRuntime
import Synchronization

final class TimerSource: SourceCore, @unchecked Sendable {  // SAFETY: see Touching.
  private let cell: UnsafeMutablePointer<Cell>

  /// The timer, and whose it is. In memory of its own: the driver changes it under its
  /// lock, whatever the source does.
  private struct Cell: ~Copyable {
    let timer = RepeatingTimer(TimerSource.isDue, retain: TimerSource.isPending)
    // SAFETY: the source outlives the cell, which it frees.
    let source: Unmanaged<TimerSource>
  }

  init(mask: UInt, queue: DispatchQueue?) {
    cell = .allocate(capacity: 1)
    super.init(handle: 0, mask: mask, queue: queue)
    // SAFETY: see `Cell`.
    cell.initialize(to: Cell(source: .passUnretained(self)))
  }

  deinit { cell.deallocate() }

  private static let isDue: TimerNode.Function = { raw in
    // SAFETY: the timer is the first field of a cell.
    let source = raw.assumingMemoryBound(to: Cell.self).pointee.source
    source._withUnsafeGuaranteedRef { $0.wake() }
    source.release()  // SAFETY: the pending timer's, see I1.
  }

  private static let isPending: TimerNode.Function = { raw in
    // SAFETY: as above. Balanced by `isDue`, or by whoever takes the timer out.
    _ = raw.assumingMemoryBound(to: Cell.self).pointee.source.retain()
  }

  override var kindName: String { "timer source" }

  private var timer: RepeatingTimer.Pointer {
    // SAFETY: the timer is the first field.
    UnsafeMutableRawPointer(cell).assumingMemoryBound(to: RepeatingTimer.self)
  }

  // MARK: Scheduling

  /// Sets when it is due. What was due by the old schedule and was not told yet is
  /// forgotten.
  func schedule(_ schedule: RepeatingTimer.Schedule) {
    releaseIf(Engine.driver._withUnsafeGuaranteedRef { $0.schedule(timer, schedule) })
  }

  override func install() -> Int32 {
    releaseIf(Engine.driver._withUnsafeGuaranteedRef { $0.activate(timer) })
    return 0
  }

  override func uninstall() {
    releaseIf(Engine.driver._withUnsafeGuaranteedRef { $0.cancel(timer) })
  }

  override func takeData() -> UInt? {
    let fires = Engine.driver._withUnsafeGuaranteedRef { $0.takeFires(timer) }
    return fires == 0 ? nil : fires
  }

  override func rearm() {
    if Engine.driver._withUnsafeGuaranteedRef({ $0.armAgain(timer) }) == .due { wake() }
  }

  private func releaseIf(_ wasPending: Bool) {
    // SAFETY: the pending timer's, see I1.
    if wasPending { Unmanaged.passUnretained(self).release() }
  }
}
