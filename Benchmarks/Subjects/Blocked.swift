import CBenchmark
import Glibc
import Synchronization

extension Subject {
  static let blockedItems = Subject(
    name: "blocked-items",
    title: "64 items blocked in a semaphore on a global queue: until all run",
    goal: .value(20),
    measurement: .episode { timeout in
      let queue = DispatchQueue.global()
      return arrivals(of: 64, within: timeout) { item in queue.async(execute: item) }
    })

  static let blockedQueues = Subject(
    name: "blocked-queues",
    title: "300 serial queues, each blocked in a semaphore: until all run",
    goal: .value(200),
    measurement: .episode { timeout in
      let queues = (0..<300).map { DispatchQueue(label: "blocked-queues.\($0)") }
      var next = queues.makeIterator()
      return arrivals(of: 300, within: timeout) { item in next.next()!.async(execute: item) }
    })
}

extension Subject {
  static let blockedReads = Subject(
    name: "blocked-reads",
    title: "64 items blocked in `read(2)` on a global queue: until all run",
    goal: .value(500),
    measurement: .episode { timeout in
      let queue = DispatchQueue.global()
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0, "pipe: errno \(errno)")
      let (input, output) = (ends[0], ends[1])
      let bytes = (0..<64).map { _ in UInt8(0) }
      return arrivals(
        of: 64, within: timeout, submit: { item in queue.async(execute: item) },
        block: {
          var byte: UInt8 = 0
          while read(input, &byte, 1) < 0 && errno == EINTR {}
        }, release: { precondition(write(output, bytes, bytes.count) == bytes.count) })
    })
}

/// Submits items that wait in one semaphore and sees how long it takes until
/// all of them run; lets them go at the end.
private func arrivals(
  of expected: Int, within timeout: UInt64, submit: (@escaping @Sendable () -> Void) -> Void
) -> Episode {
  let gate = DispatchSemaphore(value: 0)
  return arrivals(
    of: expected, within: timeout, submit: submit, block: { gate.wait() },
    release: { for _ in 0..<expected { gate.signal() } })
}

/// Submits items that block, and sees how long it takes until all of them run;
/// lets them go at the end.
private func arrivals(
  of expected: Int, within timeout: UInt64, submit: (@escaping @Sendable () -> Void) -> Void,
  block: @escaping @Sendable () -> Void, release: () -> Void
) -> Episode {
  let arrivals = Arrivals()
  let group = DispatchGroup()
  let start = cbench_now()
  for _ in 0..<expected {
    group.enter()
    submit {
      arrivals.note()
      block()
      group.leave()
    }
  }
  while arrivals.count < expected, cbench_now() - start < timeout {
    cbench_sleep_microseconds(200)
  }
  let arrived = arrivals.count
  let end = arrived == expected ? arrivals.last : cbench_now()
  release()
  group.wait()
  return Episode(nanoseconds: end - start, arrived: arrived, expected: expected)
}

private final class Arrivals: Sendable {
  private let counter = Atomic<Int>(0)
  private let latest = Atomic<UInt64>(0)

  /// The latest moment is there before the count that includes it.
  func note() {
    latest.max(cbench_now(), ordering: .relaxed)
    // order: releasing, so that who sees the count sees `latest`.
    counter.add(1, ordering: .releasing)
  }

  var count: Int { counter.load(ordering: .acquiring) }
  var last: UInt64 { latest.load(ordering: .relaxed) }
}
