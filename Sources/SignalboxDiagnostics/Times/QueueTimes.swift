// QueueTimes — how long the items of each queue wait and run, measured while the program asks for it.
//
// The probes call this code. While times are not measured, these probes are off and nothing here
// runs; only a `sync` that is about to wait checks `isOn`. The memory is mapped at the first
// measurement and never freed.
//
// A queue gets a row at its first event. When the queue ends, its row becomes the sum of the
// ended queues with its label and kind, or is added to that sum. If no row is free for a new
// queue, one such sum is merged into the row of all others, and the queue takes the sum's row. If
// there is no such sum, the queue itself uses the row of all others.
//
// Touching    the words of times.h: written by `begin` and `end`, under the lock of `ProbeSubscribers`. The
//             uses of rows: under `lock`. A queue's `QueueTimesRow`: see there.

import CSignalbox
import SignalboxRuntime

/// The number of a queue's row in `TimeRows`; 0 before it has one.
package struct QueueTimesRow: ~Copyable {
  // Written under the lock of `QueueTimes`, once. A thread that reads 0 asks again under that lock.
  let number = Relaxed<UInt8>(0)

  package init() {}

  /// The queue is about to be freed, and no thread is on it.
  @inline(__always)
  package borrowing func end() {
    if number.load() != 0 { endSlow() }
  }

  @inline(never)
  private borrowing func endSlow() { QueueTimes.shared?.end(Int(number.load())) }
}

package final class QueueTimes: Sendable {
  /// nil if the system refused the memory.
  static let shared = QueueTimes()

  /// Whether times are measured.
  @inline(__always)
  static var isOn: Bool { csb_times_on_load() != 0 }

  /// What the probes must report.
  static var kinds: [EventKind] {
    [.itemSubmitted, .itemStarted, .itemFinished, .syncEntered, .syncLeft]
  }

  let rows: TimeRows
  private let submissions: SubmissionTimes
  private let lock = EngineLock()

  private init?() {
    guard let rows = TimeRows(), let submissions = SubmissionTimes() else { return nil }
    self.rows = rows
    self.submissions = submissions
    rows.describe()
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child, the items that waited are gone.
  func forgetAfterFork() { forgetWaiting() }

  /// Begins a measurement.
  func begin() {
    forgetWaiting()
    csb_times_set(1, csb_times_measurement_load() + 1)
  }

  func end() { csb_times_set(0, csb_times_measurement_load()) }

  /// Items that were submitted before may have begun unnoticed.
  private func forgetWaiting() {
    submissions.forgetAll()
    for number in 1...TimeRows.count where rows[number].use != .none {
      rows[number].forgetWaiting()
    }
  }

  // MARK: Events

  /// A time, and in the lowest eight bits the number of a row. The time is kept modulo two years.
  static func stamp(_ time: UInt64, _ row: Int) -> UInt64 { time << 8 | UInt64(row) }

  /// How long after the time of a stamp `now` is.
  static func waited(_ stamp: UInt64, until now: UInt64) -> UInt64 {
    (now &- stamp >> 8) & (.max >> 8)
  }

  func submitted(_ item: ItemPointer, to queue: UnsafeRawPointer) {
    let row = row(of: queue)
    let stamp = QueueTimes.stamp(Clock.uptime.now, row)
    guard submissions.insert(UInt(bitPattern: item), stamp) else { return rows[row].leaveOut() }
    rows[row].enter()
  }

  func started(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    let key = UInt(bitPattern: item)
    let now = Clock.uptime.now
    if let stamp = submissions.take(key) {
      let row = rows[Int(stamp & 0xFF)]
      row.leave()
      row.waits.record(QueueTimes.waited(stamp, until: now))
    }
    begin(key, queue, at: now)
  }

  func finished(_ item: ItemPointer) { end(UInt(bitPattern: item)) }

  func syncEntered(_ queue: UnsafeRawPointer) {
    begin(UInt(bitPattern: queue) | 1, queue, at: Clock.uptime.now)
  }

  func syncLeft(_ queue: UnsafeRawPointer) { end(UInt(bitPattern: queue) | 1) }

  private func begin(_ key: UInt, _ queue: UnsafeRawPointer, at time: UInt64) {
    ThreadTimes.ofThisThread.pointee.begin(
      key, row: row(of: queue), at: time, in: csb_times_measurement_load())
  }

  private func end(_ key: UInt) {
    let thread = ThreadTimes.ofThisThread
    let measurement = csb_times_measurement_load()
    guard let (began, row) = thread.pointee.end(key, in: measurement) else { return }
    rows[row].runs.record(Clock.uptime.now &- began)
  }

  // MARK: Calls of sync that wait

  /// Call when a `sync` is about to wait.
  ///
  /// - Returns: what to pass to `syncHasWaited`.
  @inline(__always)
  package static func syncWaits() -> UInt64 { isOn ? Clock.uptime.now : 0 }

  @inline(__always)
  package static func syncHasWaited(since began: UInt64, for queue: UnsafeRawPointer) {
    if began != 0 { syncHasWaitedSlow(began, queue) }
  }

  @inline(never)
  private static func syncHasWaitedSlow(_ began: UInt64, _ queue: UnsafeRawPointer) {
    guard let shared else { return }
    shared.rows[shared.row(of: queue)].waits.record(Clock.uptime.now &- began)
  }

  // MARK: Rows

  /// Stores the offset of the `QueueTimesRow` in a queue. Call it while a queue is created.
  package static func store(_ row: borrowing QueueTimesRow, in queue: UnsafeRawPointer) {
    let address = withUnsafePointer(to: row) { UnsafeRawPointer($0) }
    csb_times_row_offset_store(UInt32(address - queue))
  }

  @inline(__always)
  private func word(of queue: UnsafeRawPointer) -> UnsafeMutablePointer<QueueTimesRow> {
    // SAFETY: the address of the queue's `QueueTimesRow`, whose offset `store` stored.
    UnsafeMutableRawPointer(mutating: queue + Int(csb_times_row_offset_load()))
      .assumingMemoryBound(to: QueueTimesRow.self)
  }

  /// The number of a queue's row. The caller holds a reference to the queue.
  @inline(__always)
  private func row(of queue: UnsafeRawPointer) -> Int {
    let known = word(of: queue).pointee.number.load()
    return known != 0 ? Int(known) : assign(queue)
  }

  @inline(never)
  private func assign(_ queue: UnsafeRawPointer) -> Int {
    let facts = TraceQueues.facts(queue)
    let word = word(of: queue)
    let label = TimeLabel(facts.label)
    return lock.withLock {
      let known = word.pointee.number.load()
      if known != 0 { return Int(known) }
      let number = spare() ?? TimeRows.others
      if number != TimeRows.others {
        rows.change {
          rows[number].object = UInt64(UInt(bitPattern: queue))
          rows[number].kind = UInt64(facts.kind.rawValue)
          rows[number].label = label
          rows[number].use = .queue
        }
      }
      word.pointee.number.store(UInt8(number))
      return number
    }
  }

  /// A row that nobody uses; nil if all are used by queues. The caller holds the lock.
  private func spare() -> Int? {
    let all = 1...TimeRows.count
    if let free = all.first(where: { rows[$0].use == .none }) { return free }
    guard let sum = all.first(where: { rows[$0].use == .ended }) else { return nil }
    rows.change {
      rows[sum].move(to: rows[TimeRows.others])
      rows[sum].use = .none
    }
    return sum
  }

  /// The queue with this row ends.
  fileprivate func end(_ number: Int) {
    guard number != TimeRows.others else { return }
    lock.withLock {
      let row = rows[number]
      let label = row.label
      let kind = row.kind
      let sum = (1...TimeRows.count).first {
        rows[$0].use == .ended && rows[$0].kind == kind && rows[$0].label == label
      }
      rows.change {
        row.object = 0
        guard let sum else { return row.use = .ended }
        row.move(to: rows[sum])
        row.use = .none
      }
    }
  }

  // MARK: Reading

  /// What has been measured: the rows that are used, as they are.
  static var readings: [SignalboxMetrics.Times] {
    // Not made by a process that never measures.
    guard csb_times_measurement_load() != 0, let shared else { return [] }
    return shared.lock.withLock {
      (1...TimeRows.count).compactMap { SignalboxMetrics.Times(shared.rows[$0]) }
    }
  }
}
