// ModeTimers — the timers of one mode, sorted by when they are due and by when they must have
// fired.
//
// A timer has a slot in each mode that it is in, and the slot is armed except while the timer
// fires. A timer without tolerance is in one heap. A timer with tolerance is in two:
// a loop sleeps until the first timer that cannot wait longer, and whenever it is awake it
// fires all that are due. That way as many timers as possible share a wake-up, and none waits
// needlessly while the loop is awake.
//
// Touching    everything: under the loop's lock.
// Invariants  I1  an armed slot is in `strict`, or in both `lenient` and `latestTimes`, and has a
//                 member.
// Rejected    one heap sorted by the latest time: a loop that is awake for another reason would
//             have to look at all timers, because a due timer can lie below one that is not
//             due.

import FoundationEssentials
import SignalboxRuntime

struct ModeTimers {
  private struct Member {
    let timer: CFRunLoopTimer
    /// The position in the order of arrival.
    let arrival: UInt64
  }
  private var members: [Member?] = []
  private var free: [Int32] = []
  private var lastArrival: UInt64 = 0

  /// The timers without tolerance, by due time.
  private var strict = SlotHeap()
  /// The timers with tolerance, by due time.
  private var lenient = SlotHeap()
  /// The timers with tolerance, by the latest time at which they may fire.
  private var latestTimes = SlotHeap()

  var count: Int { members.count - free.count }

  var isEmpty: Bool { count == 0 }

  /// All timers, in the order of arrival.
  var items: [RunLoopItem] {
    members.compactMap { $0 }.sorted { $0.arrival < $1.arrival }.map(\.timer)
  }

  /// When the loop must be awake, on the uptime clock.
  var next: UInt64 {
    let next = min(strict.firstKey, latestTimes.firstKey)
    return next == TimerSchedule.never ? UptimeLimit.never : UInt64(max(0, next))
  }

  var firstDue: Int64 { min(strict.firstKey, lenient.firstKey) }

  // MARK: Adding and removing

  /// Adds a timer, and arms it if it has a schedule.
  ///
  /// - Returns: the timer's slot, and whether the loop must be awake earlier than before.
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

  /// Removes a timer. The caller must hold another reference to it.
  mutating func remove(_ slot: Int32) {
    disarm(slot)
    members[Int(slot)] = nil
    free.append(slot)
  }

  /// Arms a slot that is not armed.
  ///
  /// - Returns: whether the loop must be awake earlier than before.
  @discardableResult
  mutating func arm(_ slot: Int32, _ schedule: TimerSchedule) -> Bool {
    let (due, latest) = (schedule.due, schedule.latest)
    let isFirst = latest < min(strict.firstKey, latestTimes.firstKey)
    if due == latest {
      strict.insert(slot, due)
    } else {
      lenient.insert(slot, due)
      latestTimes.insert(slot, latest)
    }
    return isFirst
  }

  /// Arms a slot that may already be armed.
  ///
  /// - Returns: whether the loop must be awake earlier than with the previous arming.
  mutating func armAnew(_ slot: Int32, _ schedule: TimerSchedule) -> Bool {
    let before = min(strict.firstKey, latestTimes.firstKey)
    disarm(slot)
    arm(slot, schedule)
    return min(strict.firstKey, latestTimes.firstKey) < before
  }

  /// Disarms a slot. Has no effect if it is not armed.
  mutating func disarm(_ slot: Int32) {
    if strict.remove(slot) { return }
    if lenient.remove(slot) { latestTimes.remove(slot) }
  }

  // MARK: Due timers

  /// The due timers, sorted by date, then by `order`, then by arrival.
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

  /// The only due timer, or nil if there are several or none.
  func onlyDue(by now: Int64) -> CFRunLoopTimer? {
    var only: CFRunLoopTimer?
    var count = 0
    func look(_ entry: SlotEntry) {
      count += 1
      only = members[Int(entry.slot)]?.timer
    }
    strict.forEach(upTo: now, look)
    lenient.forEach(upTo: now, look)
    return count == 1 ? only : nil
  }
}
