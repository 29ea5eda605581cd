// ContinuousTimeTests — the clock that counts suspension: arithmetic, and timers that use it.
// This goes beyond Apple's API.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ContinuousTimeTests {
  @Test func arithmeticSaturates() {
    let now = DispatchContinuousTime.now()
    #expect(now + .seconds(2) > now)
    #expect((now + .milliseconds(3)).rawValue == now.rawValue + 3_000_000)
    #expect((now + -0.5).rawValue == now.rawValue - 500_000_000)
    #expect((now + .nanoseconds(Int.min)).rawValue == 0)
    #expect(now + .never == .distantFuture)
    #expect(now + .infinity == .distantFuture)
    #expect(now + .nan == .distantFuture)
    #expect(.distantFuture + .seconds(-1) == DispatchContinuousTime.distantFuture)
    #expect(now <= .now())
  }

  /// Both clocks show the same time on a machine that was never suspended.
  @Test func continuousTimeIsNeverLessThanTheUptime() {
    let uptime = DispatchTime.now().uptimeNanoseconds
    #expect(DispatchContinuousTime.now().rawValue >= uptime)
  }

  @Test func aTimerIsNeverEarlyAndKeepsItsPhase() throws {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "test.continuous"))
    let shared = Shared(timer)
    let fires = EventLog<(time: UInt64, count: Int)>()
    timer.setEventHandler {
      let count = Int(shared.value.data)
      fires.append((DispatchContinuousTime.now().rawValue, count))
    }
    let step = 3_000_000
    let due = DispatchContinuousTime.now() + .nanoseconds(step)
    timer.schedule(continuousDeadline: due, repeating: .nanoseconds(step))
    timer.activate()
    var counted = 0
    for fire in try fires.wait(forCount: 5) {
      counted += fire.count
      #expect(fire.time >= due.rawValue + UInt64((counted - 1) * step))
    }
    timer.cancel()
  }

  @Test func timersOfAllClocksFireAndMayChangeTheirs() throws {
    let fires = EventLog<String>()
    let queue = DispatchQueue(label: "test.clocks")
    let names = ["wall", "continuous", "uptime"]
    let timers = names.map { name in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { fires.append(name) }
      return timer
    }
    timers[2].schedule(deadline: .now() + .milliseconds(5))
    timers[1].schedule(continuousDeadline: .now() + .milliseconds(5))
    timers[0].schedule(wallDeadline: .now() + .milliseconds(5))
    for timer in timers { timer.activate() }
    #expect(try fires.wait(forCount: 3).sorted() == names.sorted())
    // A timer that is set to another clock follows only that clock.
    timers[0].schedule(continuousDeadline: .now())
    #expect(try fires.wait(forCount: 4).last == "wall")
    for timer in timers { timer.cancel() }
  }
}
