// Sleeps — sleeps never end early, end in order, and use the clock that they name.

import Glibc

package let sleepScenarios: [String: AsyncScenario] = [
  "no-sleep-ends-early": {
    let early = Log()
    let count = Tally()
    await withTaskGroup(of: Void.self) { group in
      for length in [1, 5, 17, 40, 80] {
        for form in 0..<7 {
          group.addTask {
            let begin = nanoseconds(form == 2 || form == 4 ? CLOCK_BOOTTIME : CLOCK_MONOTONIC)
            let duration = Duration.milliseconds(length)
            do {
              switch form {
              case 0: try await Task.sleep(nanoseconds: UInt64(length) * 1_000_000)
              case 1: try await Task.sleep(for: duration)
              case 2: try await Task.sleep(for: duration, clock: .continuous)
              case 3: try await Task.sleep(for: duration, clock: .suspending)
              case 4:
                try await Task.sleep(
                  until: .now + duration, tolerance: .milliseconds(30), clock: .continuous)
              case 5:
                try await Task.sleep(
                  until: .now + duration, tolerance: .milliseconds(30), clock: .suspending)
              default: try await Task.sleep(for: duration, tolerance: .zero)
              }
            } catch { early.add("thrown:\(error)") }
            let end = nanoseconds(form == 2 || form == 4 ? CLOCK_BOOTTIME : CLOCK_MONOTONIC)
            if end - begin < length * 1_000_000 { early.add("\(form):\(length)") }
            count.increment()
          }
        }
      }
    }
    report("sleeps", count.count)
    report("early", early.joined)
  },

  "sleeps-of-no-length-end": {
    try await Task.sleep(for: .zero)
    try await Task.sleep(nanoseconds: 0)
    try await Task.sleep(for: .seconds(-5))
    try await Task.sleep(until: .now - .seconds(3), clock: .continuous)
    try await Task.sleep(until: .now - .seconds(3), clock: .suspending)
    report("ended", true)
    try await ContinuousClock().sleep(until: .now + .milliseconds(2))
    try await SuspendingClock().sleep(until: .now + .milliseconds(2))
    report("clocks", true)
  },

  "sleeps-of-a-cancelled-task-throw": {
    let thrown = Tally()
    await Task.detached {
      withUnsafeCurrentTask { $0?.cancel() }
      do { try await Task.sleep(for: .seconds(1000)) } catch { thrown.increment() }
      do { try await Task.sleep(nanoseconds: 1_000_000_000_000) } catch { thrown.increment() }
      do { try await Task.sleep(until: .now + .seconds(1000), clock: .suspending) } catch {
        thrown.increment()
      }
    }.value
    report("thrown", thrown.count)
  },

  "the-longest-sleeps-last": {
    let ended = Log()
    let sleepers = (0..<6).map { form in
      Task.detached {
        do {
          switch form {
          case 0: try await Task.sleep(nanoseconds: .max)
          case 1: try await Task.sleep(for: .seconds(3_000_000_000))
          case 2: try await Task.sleep(for: .seconds(9_000_000_000), clock: .suspending)
          case 3: try await Task.sleep(for: .seconds(Int64.max / 4))
          case 4:
            try await Task.sleep(for: .seconds(1000), tolerance: .seconds(Int64.max / 4))
          default: try await Task.sleep(until: .now + .seconds(Int64.max / 4), clock: .suspending)
          }
          ended.add("early \(form)")
        } catch { ended.add("cancelled") }
      }
    }
    try await Task.sleep(for: .milliseconds(60))
    report("early", ended.joined)
    for sleeper in sleepers { sleeper.cancel() }
    for sleeper in sleepers { await sleeper.value }
    report("cancelled", ended.all.count)
  },

  "a-clock-of-the-programs-own": {
    let clock = DoubledClock()
    let begin = nanoseconds()
    try await Task.sleep(for: .milliseconds(20), clock: clock)
    report("early", nanoseconds() - begin < 10_000_000)
    let sleeper = Task.detached { try await Task.sleep(for: .seconds(1000), clock: clock) }
    sleeper.cancel()
    report("cancelled", await sleeper.result.isCancellation)
  },

  "ten-thousand-sleeps-end": {
    let ended = Tally()
    await withDiscardingTaskGroup { group in
      for number in 0..<10_000 {
        group.addTask {
          try? await Task.sleep(for: .microseconds(number % 1000 * 100))
          ended.increment()
        }
      }
    }
    report("ended", ended.count)
  },

  "ten-thousand-sleeps-are-cancelled": {
    let ended = Tally()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10_000 {
        group.addTask {
          do { try await Task.sleep(for: .seconds(1000)) } catch { ended.increment() }
        }
      }
      group.cancelAll()
    }
    report("ended", ended.count)
  },
]

/// A clock that runs twice as fast as the clock behind it.
private struct DoubledClock: Clock {
  struct Instant: InstantProtocol {
    let inner: ContinuousClock.Instant

    func advanced(by duration: Duration) -> Instant {
      Instant(inner: inner.advanced(by: duration / 2))
    }
    func duration(to other: Instant) -> Duration { inner.duration(to: other.inner) * 2 }
    static func < (left: Instant, right: Instant) -> Bool { left.inner < right.inner }
  }

  var now: Instant { Instant(inner: .now) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await Task.sleep(until: deadline.inner, tolerance: tolerance, clock: .continuous)
  }
}

extension Result where Failure == any Error {
  fileprivate var isCancellation: Bool {
    if case .failure(let error) = self { return error is CancellationError }
    return false
  }
}
