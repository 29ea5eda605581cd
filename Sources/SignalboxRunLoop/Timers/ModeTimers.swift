// ModeTimers — the timers of one mode, by when they are due and by when they must have fired.
//
// A timer has a slot in each of its modes from when it comes until it goes, and is armed
// there but while it fires. Those without tolerance stand in one heap. Those with tolerance
// stand in two: a loop sleeps until the first that can wait no longer, and whenever it is
// awake it fires all that are due. So as many share a wake-up as can, and none waits longer
// than it must where the loop is awake anyway.
//
// Touching    everything: under the loop's lock.
// Invariants  I1  an armed slot stands in `strict`, or in both `lenient` and `patience`, and
//                 has a member.
// Rejected    one heap, in order of the latest time: a loop that is awake for another reason
//             would have to look at all timers to find one that is due below one that is not.

import FoundationEssentials
import SignalboxRuntime

struct ModeTimers {
  private struct Member {
    let timer: CFRunLoopTimer
    /// In which order they came.
    let arrival: UInt64
  }
  private var members: [Member?] = []
  private var free: [Int32] = []
  private var lastArrival: UInt64 = 0

  /// Those without tolerance, by when they are due.
  private var strict = SlotHeap()
  /// Those with tolerance, by when they are due.
  private var lenient = SlotHeap()
  /// The same, by the latest that they may be.
  private var patience = SlotHeap()

  var count: Int { members.count - free.count }

  var isEmpty: Bool { count == 0 }

  /// All of them, in the order in which they came.
  var items: [RunLoopItem] {
    members.compactMap { $0 }.sorted { $0.arrival < $1.arrival }.map(\.timer)
  }

  /// When the loop must be awake, on the uptime clock.
  var next: UInt64 {
    let next = min(strict.first, patience.first)
    return next == TimerSchedule.never ? UptimeLimit.never : UInt64(max(0, next))
  }

  /// When the first is due.
  var firstDue: Int64 { min(strict.first, lenient.first) }

  // MARK: Coming and going

  /// One that comes, and is armed if it has a schedule.
  ///
  /// - Returns: its slot, and whether the loop must be awake earlier than before.
  mutating func add(
    _ timer: CFRunLoopTimer, _ schedule: TimerSchedule?
  ) -> (slot: Int32, isFirst: Bool) {
    let slot = add(timer)
    guard let schedule else { return (slot, false) }
    return (slot, arm(slot, schedule))
  }

  mutating func add(_ timer: CFRunLoopTimer) -> Int32 {
    lastArrival += 1
    let member = Member(timer: timer, arrival: lastArrival)
    if let slot = free.popLast() {
      members[Int(slot)] = member
      return slot
    }
    members.append(member)
    return Int32(truncatingIfNeeded: members.count - 1)
  }

  /// The caller has a reference besides.
  mutating func remove(_ slot: Int32) {
    disarm(slot)
    members[Int(slot)] = nil
    free.append(slot)
  }

  /// One that is not armed.
  ///
  /// - Returns: whether the loop must be awake earlier than before.
  @discardableResult
  mutating func arm(_ slot: Int32, _ schedule: TimerSchedule) -> Bool {
    let (due, latest) = (schedule.due, schedule.latest)
    let isFirst = latest < min(strict.first, patience.first)
    if due == latest {
      strict.insert(slot, due)
    } else {
      lenient.insert(slot, due)
      patience.insert(slot, latest)
    }
    return isFirst
  }

  /// One that may be armed.
  ///
  /// - Returns: as `arm`, compared with what it was when this one was armed.
  mutating func armAnew(_ slot: Int32, _ schedule: TimerSchedule) -> Bool {
    let before = min(strict.first, patience.first)
    disarm(slot)
    arm(slot, schedule)
    return min(strict.first, patience.first) < before
  }

  /// Freely where it is not armed.
  mutating func disarm(_ slot: Int32) {
    if strict.remove(slot) { return }
    if lenient.remove(slot) { patience.remove(slot) }
  }

  // MARK: What is due

  /// Those that are, in the order of their times, then of `order`, then as they came.
  func due(by now: Int64) -> [CFRunLoopTimer] {
    var found: [(due: Int64, member: Member)] = []
    for heap in [strict, lenient] {
      heap.forEach(upTo: now) { entry in
        if let member = members[Int(entry.slot)] { found.append((entry.key, member)) }
      }
    }
    if found.count > 1 {
      found.sort { a, b in
        (a.due, a.member.timer.order, a.member.arrival)
          < (b.due, b.member.timer.order, b.member.arrival)
      }
    }
    return found.map(\.member.timer)
  }

  /// The only one that is; nil if there are more.
  func onlyDue(by now: Int64) -> CFRunLoopTimer? {
    var only: CFRunLoopTimer?
    var count = 0
    func look(_ entry: SlotHeap.Entry) {
      count += 1
      only = members[Int(entry.slot)]?.timer
    }
    strict.forEach(upTo: now, look)
    lenient.forEach(upTo: now, look)
    return count == 1 ? only : nil
  }
}
