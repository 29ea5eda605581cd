// MachineWidth — how many workers may run at once on the machine as it is now.
//
// `SIGNALBOX_WORKERS`, if the environment sets it. Otherwise the smaller of two numbers: the
// processors that the process may use (its affinity mask), and the quota of its control groups.
// Both can change while the process runs: `taskset -p`, a container that is resized.
//
// Touching    `directories`: under `lock`. The rest: any thread, atomically.
// Invariants  I1  at least a second passes between two readings. The thread that reads
//                 holds no lock, and other threads use the last value in the meantime.
// Rejected    a notification by the kernel: there is none for the affinity, and
//             watching files needs a descriptor and a wake-up.

import CSignalbox

package final class MachineWidth: @unchecked Sendable {  // SAFETY: see Touching.
  /// The last reading. The thread that reads again writes it; it publishes no other data.
  private let value: Relaxed<Int>
  /// When to read again, on the coarse clock. The thread that replaces it reads.
  private let due: Relaxed<UInt64>
  /// Whether the warning was given; the thread that sets it warns.
  private let hasWarned = Relaxed(false)
  private let fixed: Int?
  private let quota: ProcessorQuota
  /// The lock is not in `ForkOrder`: a forked child creates a new object.
  private let lock = EngineLock()
  private var directories: ProcessorQuota.Directories?
  private let processors: @Sendable () -> Int

  /// How long a reading is valid, in nanoseconds. Reading takes a few tens of microseconds, and
  /// containers are not resized every second.
  package static let period: UInt64 = 1_000_000_000

  /// - Parameters:
  ///   - fixed: the width that the environment sets, whatever the machine is.
  ///   - root: a prefix for the paths of the kernel's files.
  ///   - processors: returns how many processors the process may use.
  package init(
    fixed: Int?, root: String = "", now: UInt64 = Clock.coarseUptime,
    processors: @escaping @Sendable () -> Int = { Int(csb_processor_count()) }
  ) {
    self.fixed = fixed
    self.processors = processors
    quota = ProcessorQuota(root: root)
    value = Relaxed(1)
    due = Relaxed(now + MachineWidth.period)
    value.store(read())
  }

  /// A width that never changes.
  package init(always width: Int) {
    fixed = width
    processors = { width }
    quota = ProcessorQuota()
    value = Relaxed(width)
    due = Relaxed(UInt64.max)
  }

  /// The width of the last reading; at least 1. Any thread, under any lock.
  package var last: Int { value.load() }

  /// The word with that width.
  var address: UnsafeRawPointer { addressOfWord(value) }

  /// The width. Reads it again if the last reading is a second old; otherwise it costs
  /// two loads. Call it without a lock held, when a few more system calls do not
  /// matter, such as after waking a worker.
  ///
  /// - Parameter now: on the coarse clock.
  @discardableResult
  package func current(at now: UInt64) -> Int {
    let due = due.load()
    if now >= due { readAgain(due, now) }
    return last
  }

  @inline(never)
  private func readAgain(_ due: UInt64, _ now: UInt64) {
    let (mine, _) = self.due.compareExchange(expected: due, desired: now + MachineWidth.period)
    if mine { value.store(read()) }
  }

  private func read() -> Int {
    if let fixed { return fixed }
    var directories = lock.withLock { self.directories }
    let reading = quota.read(&directories)
    remember(directories)
    warn(of: reading.oddities)
    var width = processors()
    if let granted = reading.processors { width = min(width, granted) }
    return max(width, 1)
  }

  private func remember(_ directories: ProcessorQuota.Directories?) {
    lock.lock()
    let old = self.directories
    self.directories = directories
    lock.unlock()
    // Free the old value here, after the lock is released.
    _ = old
  }

  /// Warns once, because the file is read every second and does not change.
  private func warn(of oddities: [String]) {
    if oddities.isEmpty || !hasWarned.setFirst() { return }
    for oddity in oddities {
      SignalboxRuntime.warn("\(oddity): this limit on processor time is ignored.")
    }
  }
}
