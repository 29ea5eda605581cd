// SleepTests — sleeps with our timers.

@testable import SignalboxConcurrency
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct SleepTests {
  @Test func aSleepIsNeverTooShort() async throws {
    for tolerance in [nil, Duration.zero, RealTime.settling] {
      let begun = Uptime.now()
      try await Task.sleep(for: RealTime.delay, tolerance: tolerance, clock: .signalbox)
      #expect(Uptime.now().since(begun) >= RealTime.delay)
      try await Task.sleep(for: RealTime.delay, tolerance: tolerance, clock: .signalboxContinuous)
      #expect(Uptime.now().since(begun) >= RealTime.delay * 2)
    }
  }

  @Test func aTimeThatHasPassedIsNotWaitedFor() async throws {
    let now = SignalboxClock.now
    try await Task.sleep(until: now, clock: .signalbox)
    try await Task.sleep(until: now.advanced(by: .seconds(-1)), clock: .signalbox)
    try await Task.sleep(until: .init(sinceStart: .seconds(-5)), clock: .signalbox)
    try await Task.sleep(for: .seconds(-1), clock: .signalboxContinuous)
  }

  @Test func aCancelledSleepEndsAtOnce() async {
    let days = Duration.seconds(86400 * 365)
    let tasks = (0..<200).map { number in
      ending {
        if number % 2 == 0 {
          try await Task.sleep(for: days, clock: .signalbox)
        } else {
          try await Task.sleep(for: days, tolerance: days, clock: .signalboxContinuous)
        }
      }
    }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value == .cancelled) }
  }

  @Test func aTaskCanSleepUntilTheDistantFuture() async {
    let far = Duration.seconds(Int64.max)
    let tasks = [
      ending { try await Task.sleep(until: .init(sinceStart: far), clock: .signalbox) },
      ending { try await Task.sleep(until: .init(sinceStart: far), clock: .signalboxContinuous) },
      ending { try await Task.sleep(for: .seconds(1), tolerance: far, clock: .signalbox) },
    ]
    // The last sleep may end as late as it likes.
    for task in tasks { task.cancel() }
    for task in tasks.dropLast() { #expect(await task.value == .cancelled) }
    _ = await tasks[2].value
  }

  @Test func aWaiterIsFreedWithItsSleep() async throws {
    let watch = WeakWatch()
    let uptime = Clock.uptime.now
    let ends = ending {
      try await watch.watch(
        SleepWaiter(
          Deadline(.uptime, uptime + RealTime.settling.wholeNanoseconds), leeway: .given(0))
      ).wait()
    }
    #expect(await ends.value == .came)
    await until { watch.alive == 0 }
    let cancelled = ending {
      try await watch.watch(SleepWaiter(Deadline(.uptime, .max), leeway: .given(0))).wait()
    }
    await until { watch.watched == 2 }
    cancelled.cancel()
    #expect(await cancelled.value == .cancelled)
    #expect(watch.alive == 0)
  }

  @Test func instantsObeyTheLawsOfStrideable() {
    let now = SignalboxClock.now
    let later = now.advanced(by: .nanoseconds(1) + .milliseconds(5))
    #expect(now < later)
    #expect(now.duration(to: later) == .nanoseconds(5_000_001))
    #expect(later.duration(to: now) == .nanoseconds(-5_000_001))
    #expect(now.advanced(by: now.duration(to: later)) == later)
    #expect(now == SignalboxClock.Instant(sinceStart: now.sinceStart))
    #expect(SignalboxClock().minimumResolution == .nanoseconds(1))
    #expect(SignalboxContinuousClock.Instant.now < SignalboxContinuousClock().now)
    #expect(SignalboxClock().measure {} >= .zero)
  }

  @Test func durationsBecomeNanosecondsRoundedUp() {
    #expect(Duration.zero.nanoseconds == 0)
    #expect(Duration.seconds(-3).nanoseconds == 0)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 1).nanoseconds == 1)
    #expect(Duration.nanoseconds(1).nanoseconds == 1)
    #expect(Duration.seconds(2).nanoseconds == 2_000_000_000)
    let most = Duration.seconds(Int64.max)
    #expect(most.nanoseconds == UInt64.max)
    let last = Duration(
      secondsComponent: 18_446_744_073, attosecondsComponent: 709_551_615_000_000_000)
    #expect(last.nanoseconds == UInt64.max)
    #expect((last - .nanoseconds(1)).nanoseconds == UInt64.max - 1)
    #expect((last + .nanoseconds(1)).nanoseconds == UInt64.max)
  }
}
