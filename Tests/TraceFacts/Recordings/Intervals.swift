// Intervals — programs with intervals of their own, whose recordings tests read.

import Glibc
import SignalboxDispatch
import SignalboxTrace

let intervalScenarios: [String: Scenario] = [
  "intervals": { _ in intervals() },
  "named-items": { _ in namedItems() },
  // Records twice: an interval that began in one recording ends in the next.
  "intervals-of-two-recordings": { arguments in
    var made = 0
    func details() -> String {
      made += 1
      return "made"
    }
    TraceRecorder.interval("unrecorded", details()) {}
    let never = TraceRecorder.beginInterval("unrecorded", details())
    precondition(made == 0, "details were made while nothing was recorded")
    try! TraceRecorder.start()
    let early = TraceRecorder.beginInterval("early", details())
    precondition(made == 1)
    TraceRecorder.stop()
    try! TraceRecorder.start()
    TraceRecorder.interval("late") {
      early.end()
      never.end()
    }
    TraceRecorder.stop()
    try! TraceRecorder.write(to: arguments[0])
  },
  // Overwrites old events many times; names are needed for as long as an event has them.
  "intervals-in-full-memory": { arguments in
    var options = TraceRecorder.Options()
    options.memory = 1 << 16
    options.namesMemory = 1 << 15
    try! TraceRecorder.start(options)
    TraceRecorder.interval("rare") {}
    for index in 0..<100_000 {
      TraceRecorder.interval("turn", index % 10 == 0 ? "turn \(index)" : "") {}
    }
    TraceRecorder.interval("rare") {}
    try! TraceRecorder.write(to: arguments[0])
  },
]

private struct Failure: Error {
  let number: Int
}

private func intervals() {
  let queue = DispatchQueue(label: "intervals.queue")
  let result = TraceRecorder.interval("import") {
    queue.sync { () -> Int in
      TraceRecorder.interval("decode", "photo 1") { TraceRecorder.mark("decoding") }
      return TraceRecorder.interval("decode", "photo 2") { 7 }
    }
  }
  precondition(result == 7)

  do throws(Failure) {
    try TraceRecorder.interval("store") { () throws(Failure) in throw Failure(number: 28) }
    fatalError("the error was lost")
  } catch {
    // The type of the error is known here without a cast.
    precondition(error.number == 28)
  }

  let over = DispatchSemaphore(value: 0)
  let first = TraceRecorder.beginInterval("request", "/first")
  let second = TraceRecorder.beginInterval("request", "/second")
  queue.async {
    first.end()
    over.signal()
  }
  over.wait()
  second.end()
  second.end()
  _ = TraceRecorder.beginInterval("left open")
}

/// Each item waits for the one before it.
private func namedItems() {
  let queue = DispatchQueue(label: "named.queue"), group = DispatchGroup()
  let later = DispatchWorkItem(name: "draw", details: "later") {}
  queue.asyncAfter(deadline: .now() + .milliseconds(1), execute: later)
  later.wait()
  queue.async(name: "store", group: group) {}
  group.wait()
  let barrier = DispatchWorkItem(name: "draw", details: "alone", flags: .barrier) {}
  queue.sync(execute: barrier)
  DispatchWorkItem(name: "here") {}.perform()
  let cancelled = DispatchWorkItem(name: "never") {}
  cancelled.cancel()
  queue.sync(execute: cancelled)
}
