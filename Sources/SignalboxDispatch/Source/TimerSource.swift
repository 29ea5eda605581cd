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
    let timer = RepeatingTimer(TimerSource.isDue)
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

  override var kindName: String { "timer source" }

  private var timer: RepeatingTimer.Pointer {
    // SAFETY: the timer is the first field.
    UnsafeMutableRawPointer(cell).assumingMemoryBound(to: RepeatingTimer.self)
  }

  // MARK: Scheduling

  /// Sets when it is due. What was due by the old schedule and was not told yet is
  /// forgotten.
  func schedule(_ schedule: RepeatingTimer.Schedule) {
    retain()
    release(Engine.current.driver.schedule(timer, schedule))
  }

  override func install() -> Int32 {
    retain()
    release(Engine.current.driver.activate(timer))
    return 0
  }

  override func uninstall() {
    if Engine.current.driver.cancel(timer) { release(1) }
  }

  override func takeData() -> UInt? {
    let fires = Engine.current.driver.takeFires(timer)
    return fires == 0 ? nil : fires
  }

  override func rearm() {
    retain()
    switch Engine.current.driver.armAgain(timer) {
    case .pending: break
    case .due:
      release(1)
      wake()
    case .never: release(1)
    }
  }

  private func retain() {
    _ = Unmanaged.passRetained(self)  // SAFETY: taken back by `release`, see I1.
  }

  private func release(_ count: Int) {
    // SAFETY: made by `retain`, see I1.
    for _ in 0..<count { Unmanaged.passUnretained(self).release() }
  }
}
