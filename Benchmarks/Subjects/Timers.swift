import BenchmarkRecord
import CBenchmark

extension Subject {
  static let timerLife = Subject(
    name: "timer-life",
    title: "one-shot timer: make, schedule, cancel, release",
    goal: .ratio(0.20, required: false),
    measurement: .cost {
      let queue = DispatchQueue(label: "timer-life")
      return { operations in
        inBatches(operations) { batch in
          let deadline = DispatchTime.now() + .seconds(10)
          for number in 1..<max(2, batch) {
            waitingTimer(on: queue, due: deadline, number).cancel()
          }
          // The last one takes its time until it is gone for good, with what its
          // handler holds: a side that cancels behind one's back does not get away.
          let gone = DispatchSemaphore(value: 0)
          cancelTimer(on: queue, due: deadline, signalling: gone)
          gone.wait()
        }
      }
    })

  static let timersAmongMany = Subject(
    name: "timers-among-many",
    title: "a timer inserted and cancelled among 1,000,000 live ones against among 1,000",
    goal: .value(2),
    measurement: .figure(unit: "×") { effort in
      let most = effort.samples > 1 ? 1_000_000 : 2_000
      let queue = DispatchQueue(label: "timers-among-many")
      let few = insertionCost(among: 1_000, on: queue)
      let many = insertionCost(among: most, on: queue)
      return many / few
    })

  static let timerLateness = Subject(
    name: "timer-lateness",
    title: "how late a timer is, the machine idle",
    goal: .ratio(1.0, required: false),
    countedOperations: 0,
    tail: 0.99,
    measurement: .latency(trials: 300, processorTime: nil) { trials in
      let queue = DispatchQueue(label: "timer-lateness")
      let fired = DispatchSemaphore(value: 0)
      let moment = Moment()
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler {
        moment.value = cbench_now()
        fired.signal()
      }
      timer.schedule(deadline: .distantFuture)
      timer.resume()
      defer { timer.cancel() }
      return (0..<trials).map { trial in
        // Not in step with anything periodic.
        let due = DispatchTime.now() + .microseconds(1_000 + trial * 37 % 1_000)
        timer.schedule(deadline: due)
        fired.wait()
        return moment.value - due.uptimeNanoseconds
      }
    })

  /// The timers begin one after the other, spread over their interval.
  static let coalescedTimers = wakeUps(
    name: "coalesced-timers",
    title: "1,000 timers of 100 ms with 100 ms leeway, made one after the other: wake-ups a second",
    goal: .value(15), apart: 0)

  /// Here two wake-ups an interval are the least there can be: from its second time on a
  /// repeating timer may be late by half its interval, as Apple documents.
  static let spreadTimers = wakeUps(
    name: "spread-timers",
    title: "1,000 timers of 100 ms with 100 ms leeway, spread over the 100 ms: wake-ups a second",
    goal: .none, apart: 100)

  /// - Parameter apart: microseconds between the times at which two are first due.
  private static func wakeUps(
    name: String, title: String, goal: Goal, apart: Int
  ) -> Subject {
    Subject(
      name: name, title: title, goal: goal,
      measurement: .figure(unit: "wake-ups") { effort in
        let seconds = effort.samples > 1 ? 2.0 : 0.2
        let queue = DispatchQueue(label: name)
        let timers = (0..<1_000).map { number in
          let timer = DispatchSource.makeTimerSource(queue: queue)
          timer.setEventHandler { cbench_consume(UInt64(number)) }
          timer.schedule(
            deadline: .now() + .milliseconds(100) + .microseconds(number * apart),
            repeating: .milliseconds(100), leeway: .milliseconds(100))
          timer.resume()
          return timer
        }
        cbench_sleep_microseconds(300_000)
        let before = cbench_sleeps()
        cbench_sleep_microseconds(UInt64(seconds * 1_000_000))
        // This thread's own sleep is one.
        let sleeps = cbench_sleeps() - before - 1
        for timer in timers { timer.cancel() }
        return Double(sleeps) / seconds
      })
  }
}

/// When something happened, told by a semaphore.
// SAFETY: written before the semaphore is signalled, read after the wait for it.
private final class Moment: @unchecked Sendable {
  var value: UInt64 = 0
}

private func waitingTimer(
  on queue: DispatchQueue, due: DispatchTime, _ number: Int
) -> any DispatchSourceTimer {
  let timer = DispatchSource.makeTimerSource(queue: queue)
  timer.setEventHandler { cbench_consume(UInt64(truncatingIfNeeded: number)) }
  timer.schedule(deadline: due)
  timer.resume()
  return timer
}

private func cancelTimer(
  on queue: DispatchQueue, due: DispatchTime, signalling gone: DispatchSemaphore
) {
  final class Held: Sendable {
    let gone: DispatchSemaphore
    init(_ gone: DispatchSemaphore) { self.gone = gone }
    deinit { gone.signal() }
  }
  let held = Held(gone)
  let timer = DispatchSource.makeTimerSource(queue: queue)
  timer.setEventHandler { withExtendedLifetime(held) {} }
  timer.schedule(deadline: due)
  timer.resume()
  timer.cancel()
}

/// Nanoseconds of processor time for a timer that is made, armed and cancelled while so
/// many are armed: their deadlines lie on both sides of its own.
private func insertionCost(among live: Int, on queue: DispatchQueue) -> Double {
  let start = DispatchTime.now() + .seconds(1_000)
  func deadline(_ number: Int) -> DispatchTime {
    // Steps by a prime: in no order.
    start + .microseconds(number * 7_919 % live * 1_000)
  }
  let timers = (0..<live).map { waitingTimer(on: queue, due: deadline($0), $0) }
  let operations = 10_000
  let costs = (0..<4).map { sample in
    let before = cbench_processor_time()
    for number in 0..<operations {
      waitingTimer(on: queue, due: deadline(number * 4 + sample), number).cancel()
    }
    return Double(cbench_processor_time() - before) / Double(operations)
  }
  for timer in timers { timer.cancel() }
  // The first sample warms up.
  return costs.dropFirst().min()!
}
