// The bytes that a process takes for the library as such, and for each of its workers.

import Synchronization

extension Subject {
  /// In a process that does nothing else: the threads and tables that a first item needs.
  static let memoryProcess = memory(
    "process", "a process at rest after its first `async`, beyond what it took before"
  ) { _ in
    _ = settledBytes()
    let before = settledBytes()
    let queue = DispatchQueue(label: "memory-process")
    let countdown = Countdown()
    countdown.expect(1)
    queue.async { countdown.arrive() }
    countdown.wait()
    let after = settledBytes()
    withExtendedLifetime(queue) {}
    return Double(after - before)
  }

  /// The kernel's own stack of a thread is not among the process's bytes.
  static let memoryWorker = memory(
    "worker", "a worker thread, one of 60 that are blocked in a semaphore: bytes each"
  ) { effort in
    let (first, count) = (4, effort.samples > 1 ? 60 : 8)
    let queues = (0..<first + count).map { DispatchQueue(label: "memory-worker.\($0)") }
    for queue in queues { queue.sync {} }
    let crowd = BlockedItems()
    crowd.block(queues.prefix(first))
    let before = settledBytes()
    crowd.block(queues.dropFirst(first))
    let after = settledBytes()
    crowd.release()
    return Double(after - before) / Double(count)
  }
}

/// Items that hold a worker each.
private final class BlockedItems: Sendable {
  private let gate = DispatchSemaphore(value: 0)
  private let group = DispatchGroup()
  private let blocked = Atomic<Int>(0)

  /// Returns when an item of each queue is about to block.
  func block(_ queues: ArraySlice<DispatchQueue>) {
    let countdown = Countdown()
    countdown.expect(queues.count)
    for queue in queues {
      // order: relaxed; only this thread counts.
      blocked.add(1, ordering: .relaxed)
      queue.async(group: group) { [gate] in
        countdown.arrive()
        gate.wait()
      }
    }
    countdown.wait()
  }

  func release() {
    for _ in 0..<blocked.load(ordering: .relaxed) { gate.signal() }
    group.wait()
  }
}
