// DriverTests — timers on the real clock fire never early and are cancelled at most once.

import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("Driver", .guarded) struct DriverTests {
  /// A timer that records when it was called.
  private struct Noting {
    var timer: TimerNode
    let fired: Unmanaged<EventLog<UInt64>>

    static func make(_ deadline: Deadline, _ fired: EventLog<UInt64>) -> TimerPointer {
      let pointer = UnsafeMutablePointer<Noting>.allocate(capacity: 1)
      let timer = TimerNode(deadline) { raw in
        // SAFETY: made by `make`; the timer is its first field.
        let noting = raw.assumingMemoryBound(to: Noting.self)
        let clock = noting.pointee.timer.clock
        let late = Int64(clock.now) - Int64(noting.pointee.timer.deadline)
        // SAFETY: the test keeps its log until all have fired.
        noting.pointee.fired.takeUnretainedValue().append(UInt64(bitPattern: late))
      }
      pointer.initialize(to: Noting(timer: timer, fired: .passUnretained(fired)))
      // SAFETY: made by `make`; the timer is its first field.
      return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: TimerNode.self)
    }
  }

  @Test(arguments: [Clock.uptime, .wall])
  func noTimerIsEarlyAndAllFire(_ clock: Clock) throws {
    let driver = Engine.current.driver
    let log = EventLog<UInt64>()
    let start = clock.now
    let timers = (0..<50).map {
      Noting.make(Deadline(clock, start + UInt64($0 % 7) * 1_000_000), log)
    }
    timers.forEach { driver.arm($0) }
    try log.wait(forCount: 50)
    for late in log.all { #expect(Int64(bitPattern: late) >= 0) }
    for timer in timers { #expect(!driver.cancel(timer)) }
    timers.forEach { $0.deallocate() }
  }

  @Test func timersOfManyThreadsFireOrAreCancelledNeverBoth() throws {
    let driver = Engine.current.driver
    let fired = EventLog<UInt64>()
    let cancelled = EventCounter("cancelled")
    let all = Guarded<[UInt]>([])
    try runThreads(4) { index in
      for round in 0..<500 {
        let timer = Noting.make(
          Deadline(.uptime, Clock.uptime.now + UInt64(round % 5) * 10_000), fired)
        driver.arm(timer)
        let address = UInt(bitPattern: timer)
        all.withValue { $0.append(address) }
        if (round + index) % 2 == 0 && driver.cancel(timer) { cancelled.increment() }
      }
    }
    try fired.wait(forCount: 2_000 - cancelled.value)
    #expect(fired.all.count + cancelled.value == 2_000)
    // Every timer was called or removed: the driver uses none of them any more.
    for address in all.current { TimerPointer(bitPattern: address)!.deallocate() }
  }
}
