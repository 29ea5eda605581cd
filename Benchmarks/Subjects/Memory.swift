// The objects of which a program may have many, and the bytes that one of them takes.

import CBenchmark
import Glibc

extension Subject {
  static let memoryItem = memory(
    "item", "an item of `async` that waits on a suspended queue, captures an object", of: 100_000
  ) {
    let queue = DispatchQueue(label: "memory-item")
    let tally = Tally()
    queue.suspend()
    return Population(
      make: { _ in queue.async { tally.value &+= 1 } },
      end: {
        queue.resume()
        queue.sync {}
      })
  }

  static let memoryQueue = memory(
    "queue", "a serial queue with a label of its own, never used", of: 100_000
  ) {
    Population { labelledQueue($0) }
  }

  static let memoryQueueUsed = memory(
    "queue-used", "the same after one `async`", of: 100_000
  ) {
    let countdown = Countdown()
    return Population { number in
      let queue = labelledQueue(number)
      countdown.expect(1)
      queue.async { countdown.arrive() }
      countdown.wait()
      return queue
    }
  }

  static let memoryGroup = memory("group", "a `DispatchGroup`", of: 100_000) {
    Population { _ in DispatchGroup() }
  }

  static let memorySemaphore = memory("semaphore", "a `DispatchSemaphore`", of: 100_000) {
    Population { _ in DispatchSemaphore(value: 0) }
  }

  static let memoryAsyncAfter = memory(
    "async-after", "an item of `asyncAfter` that is due in an hour, captures an object", of: 100_000
  ) {
    let queue = DispatchQueue(label: "memory-async-after")
    let tally = Tally()
    return Population(
      make: { _ in queue.asyncAfter(deadline: .now() + .seconds(3_600)) { tally.value &+= 1 } },
      drain: { queue.sync {} })
  }

  static let memoryTimer = memory(
    "timer", "a timer source, activated and due in an hour", of: 100_000
  ) {
    let queue = DispatchQueue(label: "memory-timer")
    let tally = Tally()
    return Population(
      make: { _ in
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { tally.value &+= 1 }
        source.schedule(deadline: .now() + .seconds(3_600))
        source.activate()
        return source
      }, drain: { queue.sync {} })
  }

  /// The kernel's share, for the pipe and for watching it, is not among the process's bytes.
  static let memoryReadSource = memory(
    "read-source", "a read source of a pipe, activated", of: 5_000
  ) {
    _ = cbench_raise_descriptor_limit()
    let queue = DispatchQueue(label: "memory-read-source")
    let tally = Tally()
    return Population(
      make: { _ in
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0, "pipe: errno \(errno)")
        let source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: queue)
        source.setEventHandler { tally.value &+= 1 }
        source.activate()
        return source
      }, drain: { queue.sync {} })
  }

  static let memoryUserData = memory(
    "user-data", "a user data source, activated", of: 100_000
  ) {
    let queue = DispatchQueue(label: "memory-user-data")
    let tally = Tally()
    return Population(
      make: { _ in
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { tally.value &+= 1 }
        source.activate()
        return source
      }, drain: { queue.sync {} })
  }

  /// The main thread is measuring, so none of them begins. The task itself, which is the runtime's,
  /// is the same on both sides.
  static let memoryTask = memory("task", "a task that waits for the main actor", of: 20_000) {
    adoptExecutors()
    let tally = Tally()
    return Population { _ in _ = Task.detached { @MainActor in tally.value &+= 1 } }
  }

  private static func memory(
    _ name: String, _ title: String, of count: Int,
    _ prepare: @escaping @Sendable () -> Population
  ) -> Subject {
    memory(name, "\(title): bytes each") { effort in
      prepare().bytesEach(effort.samples > 1 ? count : 100)
    }
  }

  static func memory(
    _ name: String, _ title: String, _ measure: @escaping @Sendable (Effort) -> Double
  ) -> Subject {
    Subject(
      name: "memory-\(name)", title: "memory: \(title)", goal: .ratio(1, required: false),
      measurement: .figure(unit: "bytes", measure))
  }
}

/// A label as a program makes one for each of its connections: too long to be part of a `String`.
private func labelledQueue(_ number: Int) -> DispatchQueue {
  DispatchQueue(label: "com.example.connection.\(number)")
}

/// Objects that are all there at once.
private struct Population {
  /// Makes one more, and returns what keeps it.
  let make: (_ number: Int) -> Any
  /// Returns when the objects made so far have come to rest.
  var drain: () -> Void = {}
  /// Does what has to be done before the process ends.
  var end: () -> Void = {}

  /// The process's bytes for each of `count` objects, beside one hundredth as many that
  /// were made before: with those comes what a process allocates once.
  func bytesEach(_ count: Int) -> Double {
    let first = max(10, count / 100)
    let kept = Kept(first + count)
    fill(kept, 0..<first)
    let before = settledBytes()
    fill(kept, first..<first + count)
    let after = settledBytes()
    end()
    return Double(after - before) / Double(count)
  }

  private func fill(_ kept: Kept, _ numbers: Range<Int>) {
    for number in numbers {
      kept.objects[number] = make(number)
      // A side that activates in the background is not to pay for a backlog.
      if number.isMultiple(of: 100) { drain() }
    }
    drain()
  }
}

/// Keeps objects to the end of the process: how they are freed is not what is measured.
private final class Kept {
  /// Written once before the first reading, so that it does not count.
  var objects: [Any?]

  init(_ count: Int) {
    objects = Array(repeating: nil, count: count)
    // SAFETY: the retain has no release on purpose.
    _ = Unmanaged.passRetained(self)
  }
}

/// The pages that are the process's own and written, in bytes, as soon as no thread adds any.
///
/// Whole pages and not what the allocator handed out: what a library reserves and does not
/// touch costs nothing, and what it touches and does not use does.
func settledBytes() -> Int {
  var last = privateBytes()
  for _ in 0..<40 {
    cbench_sleep_microseconds(50_000)
    let next = privateBytes()
    if next == last { break }
    last = next
  }
  return last
}

private func privateBytes() -> Int {
  let bytes = Int(cbench_private_bytes())
  precondition(bytes > 0, "this kernel has no /proc/self/smaps_rollup")
  return bytes
}
