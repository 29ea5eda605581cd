// DeadlockSearch — looks for threads that wait for each other in a cycle.
//
// It goes from a waiting thread to those it needs, as the waits' resources name
// them, depth first, until it comes back to a thread it has passed. Each step
// reads one record under that record's lock, and holds no two of them at once.
// Such a cycle was put together from readings of different moments, so it is
// only a suspicion; it is believed if two passes more find every wait and every
// need as before. Why that suffices stands in Internals/Deadlock.md.
//
// Touching    one thread's own, on its stack; the records by their locks.
// Invariants  I1  nothing is allocated or freed with a record's lock held.

import Synchronization

struct DeadlockSearch: ~Copyable {
  private let records: [WaitRecord]
  private let byNumber: [UInt32: WaitRecord]
  /// Threads from which no cycle is reached.
  private var done: Set<UInt32> = []
  private var effort = SearchEffort()

  /// Whether a cycle may have been missed because a record was in use.
  var isIncomplete: Bool { effort.metHeldLock }

  /// A thread on the way, the wait it was found in, and how the next thread on
  /// the way holds it up.
  struct Step {
    let record: WaitRecord
    let block: WaitRecord.Block
    var hold = WaitHold.owns
    /// What a third thread may do to end the wait.
    var release: WaitRelease { hold.release ?? block.release }
    /// Which of those it may need have been looked at.
    fileprivate var looked = 0
  }

  /// Tells if the thread of `record` is in a deadlock, or waits for one: if nobody can end it
  /// the process ends, unless someone else wants to know.
  ///
  /// - Returns: whether all has been looked at.
  static func tellOfCycle(from record: WaitRecord) -> Bool {
    var search = DeadlockSearch()
    if let cycle = search.cycle(from: record) { DeadlockReport.shared.tell(cycle) }
    return !search.isIncomplete
  }

  init() {
    records = WaitRegistry.shared.records
    byNumber = Dictionary(records.lazy.map { ($0.thread, $0) }, uniquingKeysWith: { $1 })
  }

  /// A deadlock that the thread of `start` is in, or waits for, and that was not told
  /// yet: each of these threads needs the next, and the last one the first.
  mutating func cycle(from start: WaitRecord) -> [Step]? {
    guard let block = start.block(&effort) else { return nil }
    var way = [Step(record: start, block: block)]
    var places = [start.thread: 0]
    while !way.isEmpty {
      guard let (next, hold) = nextNeeded(by: &way[way.count - 1]) else {
        let left = way.removeLast().record.thread
        places[left] = nil
        done.insert(left)
        continue
      }
      way[way.count - 1].hold = hold
      if let place = places[next.thread] {
        let cycle = Array(way[place...])
        if isConfirmed(cycle), !DeadlockReport.shared.isTold(cycle) { return cycle }
      } else if !done.contains(next.thread), let block = next.block(&effort) {
        places[next.thread] = way.count
        way.append(Step(record: next, block: block))
      }
    }
    return nil
  }

  /// The wait that the thread of this number is in, if only others can end it.
  mutating func step(of thread: UInt32) -> Step? {
    guard let record = byNumber[thread], let block = record.block(&effort) else { return nil }
    return Step(record: record, block: block)
  }

  /// The next thread that `step` needs and that waits itself.
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

  /// Whether each thread still is in the wait it was found in and needs the next
  /// one; and then, once more, is in that wait for the same need.
  private mutating func isConfirmed(_ cycle: [Step]) -> Bool {
    // What was found once is to be found again, however much was looked at.
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
