import CBenchmark
import Synchronization

extension Subject {
  static let sleepCancelled = Subject(
    name: "sleep-cancelled",
    title: "100,000 sleeps of 2 s cancelled at once, against `Task.sleep`: until freed",
    goal: .ratio(0.20, required: false),
    measurement: .figure(unit: "ms") { effort in
      let sleepers = Sleepers(effort.samples > 1 ? 100_000 : 100)
      return Double(sleepers.cancelAndFree()) / 1_000_000
    })

  static let sleepCancelledBytes = Subject(
    name: "sleep-cancelled-bytes",
    title: "the same: bytes held for each when all tasks have ended",
    goal: .ratio(0.20, required: false),
    measurement: .figure(unit: "bytes") { effort in
      Sleepers(effort.samples > 1 ? 100_000 : 100).bytesAfterTheEnd()
    })
}

/// Tasks that all sleep.
private struct Sleepers {
  private let tasks: [Task<Void, any Error>]
  /// What was held before any.
  private let bytesBefore: UInt64

  init(_ count: Int) {
    adoptExecutors()
    inTask {}
    bytesBefore = cbench_bytes_in_use()
    let asleep = Countdown()
    asleep.expect(count)
    tasks = (0..<count).map { _ in
      Task.detached {
        asleep.arrive()
        try await Task.sleep(for: .seconds(2), clock: sleepingClock)
      }
    }
    asleep.wait()
  }

  private func cancelAll() {
    for task in tasks { task.cancel() }
    let tasks = tasks
    inTask { for task in tasks { _ = await task.result } }
  }

  /// How long it takes until nine tenths of what was held are free again.
  consuming func cancelAndFree() -> UInt64 {
    // What the threads of the pools keep for themselves is none of the sleeps'.
    let own: UInt64 = 1 << 19
    let held = max(cbench_bytes_in_use(), bytesBefore) - bytesBefore
    let start = cbench_now()
    let before = bytesBefore
    cancelAll()
    _ = consume self
    while cbench_bytes_in_use() > before + held / 10 + own { cbench_sleep_microseconds(1_000) }
    return cbench_now() - start
  }

  consuming func bytesAfterTheEnd() -> Double {
    let before = bytesBefore, count = tasks.count
    cancelAll()
    _ = consume self
    let after = cbench_bytes_in_use()
    return after > before ? Double(after - before) / Double(count) : 0
  }
}
