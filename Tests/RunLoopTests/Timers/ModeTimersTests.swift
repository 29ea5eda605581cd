// ModeTimersTests — the timers of a mode: when the loop must be awake for them, and which are
// due.

import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

@Suite(.guarded)
struct ModeTimersTests {
  private func timer(_ due: Int64, order: Int = 0) -> (CFRunLoopTimer, TimerSchedule) {
    let schedule = TimerSchedule(after: Double(due), uptime: 0, interval: 0)
    return (CFRunLoopTimer(schedule, order: order, .none), schedule)
  }

  private let second: Int64 = 1_000_000_000

  @Test func loopMustBeAwakeWhenTheFirstCanWaitNoLonger() {
    var timers = ModeTimers()
    #expect(timers.next == .max)
    let (a, strict) = timer(30)
    let (b, soft) = timer(10)
    var lenient = soft
    lenient.setTolerance(100)
    let (slotA, slotB) = (timers.add(a), timers.add(b))
    timers.arm(slotB, lenient)
    #expect(timers.next == UInt64(110 * second))
    #expect(timers.firstDue == 10 * second)
    timers.arm(slotA, strict)
    #expect(timers.next == UInt64(30 * second))
    #expect(timers.due(by: 9 * second).isEmpty)
    #expect(timers.onlyDue(by: 10 * second) === b)
    #expect(timers.due(by: 30 * second).map { $0 === b } == [true, false])
    #expect(timers.onlyDue(by: 30 * second) == nil)
    timers.remove(slotA)
    #expect(timers.next == UInt64(110 * second))
    timers.disarm(slotB)
    #expect(timers.next == .max)
    #expect(timers.count == 1)
    timers.remove(slotB)
    #expect(timers.isEmpty)
  }

  @Test func dueTimersAreSortedByDateThenOrderThenArrival() {
    var timers = ModeTimers()
    let all = [
      timer(3), timer(1, order: 2), timer(2), timer(1, order: -1), timer(1, order: 2), timer(9),
    ]
    for (timer, schedule) in all { timers.arm(timers.add(timer), schedule) }
    let expected = [all[3], all[1], all[4], all[2], all[0]].map { ObjectIdentifier($0.0) }
    #expect(timers.due(by: 8 * second).map { ObjectIdentifier($0) } == expected)
    #expect(timers.items.map { ObjectIdentifier($0) } == all.map { ObjectIdentifier($0.0) })
  }

  @Test func slotsAreUsedAgain() {
    var timers = ModeTimers()
    let (a, schedule) = timer(1)
    for _ in 0..<100 {
      let slot = timers.add(a)
      #expect(slot == 0)
      timers.arm(slot, schedule)
      timers.remove(slot)
    }
    #expect(timers.next == .max)
  }

  /// A deadline before the machine's start has passed.
  @Test func negativePointsHavePassed() {
    var timers = ModeTimers()
    let schedule = TimerSchedule(
      at: 0, now: TimerNow(uptime: 5, wall: 1_000), interval: 0)
    timers.arm(timers.add(CFRunLoopTimer(schedule, .none)), schedule)
    #expect(timers.next == 0)
    #expect(timers.firstDue < 0)
    #expect(timers.due(by: 5).count == 1)
  }
}
