// Sleeps: never early, in the order of their ends, on the clock they name.

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

  "sleeps-end-in-the-order-of-their-times": {
    let log = Log()
    await withTaskGroup(of: Void.self) { group in
      let begin = ContinuousClock.now
      for step in [3, 1, 4, 2] {
        group.addTask {
          try? await Task.sleep(until: begin + .milliseconds(250 * step), clock: .continuous)
          log.add(step)
        }
      }
    }
    report("order", log.joined)
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
