// What the recorder costs. The toolchain has none, so these stand alone.

import CBenchmark

extension Subject {
  /// What only this side has, after all others in the table.
  static let alone = [
    eventRecorded, eventRecordedTwoThreads, itemRecorded, semaphoreRecorded,
    shortItemsRecorded, writtenMeanwhile,
  ]

  static let eventRecorded = Subject(
    name: "trace-event", title: "recorder: an event, of two that a serial `sync` makes",
    goal: .alone(40, required: true),
    measurement: .figure(unit: "ns") { effort in
      eventCost(effort, events: 2) { performSyncs($0, threads: 1) }
    })

  static let eventRecordedTwoThreads = Subject(
    name: "trace-event-two-threads",
    title: "recorder: the same on two threads at once, each with a queue of its own",
    goal: .alone(40, required: false),
    measurement: .figure(unit: "ns") { effort in
      eventCost(effort, events: 2, threads: 2) { performSyncs($0, threads: 2) }
    })

  static let itemRecorded = Subject(
    name: "trace-item",
    title: "recorder: an event, of three that a serial `async` makes, on one processor",
    goal: .alone(40, required: false),
    measurement: .figure(unit: "ns") { effort in
      let failure = cbench_pin_to_one_processor()
      precondition(failure == 0, "cannot pin the process to one processor: errno \(failure)")
      let queue = DispatchQueue(label: "trace-item")
      return eventCost(effort, events: 3) { operations in
        // Fewer than the caches hold beside their events.
        inBatches(operations, of: 1_000) { batch in
          for number in 0..<batch {
            queue.async { cbench_consume(UInt64(truncatingIfNeeded: number)) }
          }
          queue.sync {}
        }
      }
    })

  static let semaphoreRecorded = Subject(
    name: "trace-semaphore", title: "recorder: an event, of one that a semaphore's `signal` makes",
    goal: .alone(40, required: false),
    measurement: .figure(unit: "ns") { effort in
      let semaphore = DispatchSemaphore(value: 0)
      return eventCost(effort, events: 1) { operations in
        for _ in 0..<operations {
          semaphore.signal()
          semaphore.wait()
        }
      }
    })

  static let shortItemsRecorded = Subject(
    name: "trace-short-items",
    title: "recorder: processor time of items of 5 µs on every core, recorded against not",
    goal: .alone(1.03, required: false),
    measurement: .figure(unit: "×") { shortItemsRatio($0) })

  static let writtenMeanwhile = Subject(
    name: "trace-written",
    title: "recorder: a second of items of 5 µs on every core, while the one before it is "
      + "written to disk, against one while nothing is",
    goal: .alone(1.10, required: false),
    measurement: .figure(unit: "×") { writingRatio($0) })
}

private func performSyncs(_ operations: Int, threads: Int) {
  onThreads(threads) {
    let queue = DispatchQueue(label: "trace-event")
    for number in 0..<operations {
      queue.sync { cbench_consume(UInt64(truncatingIfNeeded: number)) }
    }
  }
}
