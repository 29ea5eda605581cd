// DeadlockSearch — looks for threads that wait for each other in a cycle.
//
// It goes depth first from a waiting thread to the threads that it needs, as the resources
// name them, until it returns to a thread that it has passed. Each step reads one record
// under that record's lock, and never holds two of these locks. Such a cycle combines
// readings from different moments, so it is only a suspicion. The search accepts it if two
// more passes find every wait and every need unchanged. Internals/Deadlock.md explains why
// that suffices.
//
// Touching    the search itself: one thread, on its stack; the records: under their locks.
// Invariants  I1  nothing is allocated or freed while a record's lock is held.

import SignalboxRuntime
import Synchronization

struct DeadlockSearch: ~Copyable {
  private let records: [WaitRecord]
  private let byNumber: [UInt32: WaitRecord]
  /// Threads from which the search reaches no cycle.
  private var done: Set<UInt32> = []
  private var effort = SearchEffort()

  /// Whether the search may have missed a cycle because a record was in use.
  var isIncomplete: Bool { effort.metHeldLock }

  /// A thread on the path, the wait in which it was found, and how the next thread on the
  /// path holds it up.
  struct Step {
    let record: WaitRecord
    let block: WaitRecord.Block
    var hold = WaitHold.owns
    /// What a third thread may do to end the wait.
    var release: WaitRelease { hold.release ?? block.release }
    /// The number of candidates for the next thread that have been examined.
    fileprivate var looked = 0
  }

  /// Reports a deadlock that the thread of `record` is in, or waits for. If no other
  /// thread can end it, the process ends, unless a handler takes the report.
  ///
  /// - Returns: whether the search is complete.
  static func tellOfCycle(from record: WaitRecord) -> Bool {
    var search = DeadlockSearch()
    if let cycle = search.cycle(from: record) { DeadlockReport.shared.tell(cycle) }
    return !search.isIncomplete
  }

  init() {
    records = WaitRegistry.shared.records
    byNumber = Dictionary(records.lazy.map { ($0.thread, $0) }, uniquingKeysWith: { $1 })
  }

  /// A deadlock that the thread of `start` is in, or waits for, and that has not been
  /// reported: each thread needs the next one, and the last one needs the first.
  mutating func cycle(from start: WaitRecord) -> [Step]? {
    guard let block = start.block(&effort) else { return nil }
    var way = [Step(record: start, block: block)]
    var positions = [start.thread: 0]
    while !way.isEmpty {
      guard let (next, hold) = nextNeeded(by: &way[way.count - 1]) else {
        let left = way.removeLast().record.thread
        positions[left] = nil
        done.insert(left)
        continue
      }
      way[way.count - 1].hold = hold
      if let position = positions[next.thread] {
        let cycle = Array(way[position...])
        if isConfirmed(cycle), !DeadlockReport.shared.isTold(cycle) { return cycle }
      } else if !done.contains(next.thread), let block = next.block(&effort) {
        positions[next.thread] = way.count
        way.append(Step(record: next, block: block))
      }
    }
    return nil
  }

  /// The current wait of the thread with this number, if only other threads can end it.
  mutating func step(of thread: UInt32) -> Step? {
    guard let record = byNumber[thread], let block = record.block(&effort) else { return nil }
    return Step(record: record, block: block)
  }

  /// The next thread that `step` needs and that also waits.
  private mutating func nextNeeded(by step: inout Step) -> (WaitRecord, WaitHold)? {
    switch step.block.need {
    case .nobody: return nil
    case .thread(let number):
      guard step.looked == 0 else { return nil }
      step.looked = 1
      return byNumber[number].map { ($0, .owns) }
    case .each(let object, let test):
      while step.looked < records.count {
        let record = records[step.looked]
        step.looked += 1
        if let hold = record.hold(on: object, test, &effort) { return (record, hold) }
      }
      return nil
    }
  }

  // MARK: Confirming

  /// Whether each thread is still in the wait in which it was found and still needs the next
  /// thread. A second pass checks once more that no wait and no need has changed.
  private mutating func isConfirmed(_ cycle: [Step]) -> Bool {
    // The confirmation must be able to read as many items as the search did.
    effort.items = WaitNeed.longestLook
    for (index, step) in cycle.enumerated() {
      let next = cycle[(index + 1) % cycle.count]
      guard let need = unchangedNeed(of: step), names(need, next) else { return false }
    }
    for step in cycle where unchangedNeed(of: step) == nil { return false }
    return true
  }

  mutating func unchangedNeed(of step: Step) -> WaitNeed? {
    guard let block = step.record.block(&effort), block.epoch == step.block.epoch,
      block.need.isSame(as: step.block.need)
    else { return nil }
    return block.need
  }

  private mutating func names(_ need: WaitNeed, _ next: Step) -> Bool {
    switch need {
    case .nobody: false
    case .thread(let number): number == next.record.thread
    case .each(let object, let test):
      next.record.hold(on: object, test, in: next.block.epoch, &effort) != nil
    }
  }
}
