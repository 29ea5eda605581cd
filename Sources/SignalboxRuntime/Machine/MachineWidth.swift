// MachineWidth — how many workers may run at once, as the machine is now.
//
// `SIGNALBOX_WORKERS`, if the environment sets it. Otherwise the smaller of two: the
// processors that the process may use (its affinity mask), and the quota of its control
// groups. Both can change while it runs: `taskset -p`, a container that is resized.
//
// Touching    `places`: under `lock`. The rest: any thread, atomically.
// Invariants  I1  between two readings lies a second at least, and whoever reads
//                 holds no lock; the others go on with the last value.
// Rejected    being told by the kernel: there is nothing that tells of an
//             affinity, and watching files needs a descriptor and a wake-up.

import CSignalbox
import Synchronization

package final class MachineWidth: @unchecked Sendable {  // SAFETY: see Touching.
  private let value: Atomic<Int>
  /// When it is to be read again, on the coarse clock.
  private let due: Atomic<UInt64>
  private let hasComplained = Atomic<Bool>(false)
  private let fixed: Int?
  private let quota: ProcessorQuota
  /// Not one of `ForkOrder`: a forked child makes a new object.
  private let lock = EngineLock()
  private var places: ProcessorQuota.Places?
  private let processors: @Sendable () -> Int

  /// How long a reading holds, in nanoseconds. It costs some tens of
  /// microseconds, and nobody resizes a container by the second.
  package static let period: UInt64 = 1_000_000_000

  /// - Parameters:
  ///   - fixed: the width that the program's environment asks for, whatever the machine is.
  ///   - root: what stands before the paths of the kernel's files.
  ///   - processors: how many the process may use.
  package init(
    fixed: Int?, root: String = "", now: UInt64 = Clock.coarseUptime,
    processors: @escaping @Sendable () -> Int = { Int(csb_processor_count()) }
  ) {
    self.fixed = fixed
    self.processors = processors
    quota = ProcessorQuota(root: root)
    value = Atomic(1)
    due = Atomic(now + MachineWidth.period)
    // order: relaxed; nobody else knows this object yet.
    value.store(read(), ordering: .relaxed)
  }

  /// A width that never changes.
  package init(always width: Int) {
    fixed = width
    processors = { width }
    quota = ProcessorQuota()
    value = Atomic(width)
    due = Atomic(UInt64.max)
  }

  /// The width as it was read last; at least 1. Any thread, any lock held.
  package var last: Int {
    value.load(ordering: .relaxed)  // order: relaxed; a number by itself.
  }

  /// The width, read anew if the last reading is a second old. To be called
  /// where no lock is held and a system call more does not matter, that is where a
  /// worker is about to be woken: otherwise two loads.
  ///
  /// - Parameter now: on the coarse clock.
  @discardableResult
  package func current(at now: UInt64) -> Int {
    // order: relaxed; the compare-and-swap decides.
    let due = due.load(ordering: .relaxed)
    if now >= due { readAgain(due, now) }
    return last
  }

  @inline(never)
  private func readAgain(_ due: UInt64, _ now: UInt64) {
    let (mine, _) = self.due.compareExchange(
      expected: due, desired: now + MachineWidth.period,
      ordering: .relaxed)  // order: relaxed; only that one thread reads matters.
    // order: relaxed; a number by itself.
    if mine { value.store(read(), ordering: .relaxed) }
  }

  private func read() -> Int {
    if let fixed { return fixed }
    var places = lock.withLock { self.places }
    let reading = quota.read(&places)
    remember(places)
    complain(of: reading.oddities)
    var width = processors()
    if let granted = reading.processors { width = min(width, granted) }
    return max(width, 1)
  }

  private func remember(_ places: ProcessorQuota.Places?) {
    lock.lock()
    let old = self.places
    self.places = places
    lock.unlock()
    // Freed here, after the lock is left.
    _ = old
  }

  /// Once: a file that is odd stays so, and is looked at every second.
  private func complain(of oddities: [String]) {
    if oddities.isEmpty { return }
    // order: relaxed; only that it is said once matters.
    if hasComplained.exchange(true, ordering: .relaxed) { return }
    for oddity in oddities {
      SignalboxRuntime.complain("\(oddity): this limit on processor time is ignored")
    }
  }
}
