// A program that contains the whole Swift runtime in its own file: queues, a timer, waits whose
// threads are replaced, tasks and the main actor.

import Deadlock
import Glibc
import SignalboxConcurrency
import SignalboxDispatch

/// Ends the program unless `condition` holds.
func require(_ condition: Bool, _ what: String) {
  if condition { return }
  print("not so: \(what)")
  exit(1)
}

/// Returns the text of a kernel file.
func contents(of path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
  return String(decoding: bytes, as: UTF8.self)
}

require(!contents(of: "/proc/self/maps").contains("libswift"), "no Swift library is loaded")

if CommandLine.arguments.contains("deadlock") { runIntoADeadlock() }

let queue = DispatchQueue(label: "org.example.static")
nonisolated(unsafe) var sum = 0  // SAFETY: the queue's.
let group = DispatchGroup()
for number in 1...1_000 { queue.async(group: group) { sum += number } }
group.wait()
require(queue.sync { sum } == 500_500, "a serial queue runs each item once")

let gate = DispatchSemaphore(value: 0)
let waiting = DispatchGroup()
for _ in 0..<64 { DispatchQueue.global().async(group: waiting) { gate.wait() } }
DispatchQueue.global().async { for _ in 0..<64 { gate.signal() } }
waiting.wait()

let ticks = DispatchSemaphore(value: 0)
let timer = DispatchSource.makeTimerSource(queue: queue)
timer.setEventHandler { ticks.signal() }
timer.schedule(deadline: .now(), repeating: .milliseconds(1))
timer.activate()
for _ in 0..<3 { ticks.wait() }
timer.cancel()

@MainActor func onMain() -> Bool { pthread_self() == mainThread }
let mainThread = pthread_self()

try SignalboxExecutors.adopt()
Task.detached {
  let values = await withTaskGroup(of: Int.self) { group in
    for number in 1...100 { group.addTask { number } }
    return await group.reduce(0, +)
  }
  require(values == 5_050, "a task group adds up")
  require(await onMain(), "the main actor runs on the main thread")
  print("done")
  exit(0)
}
dispatchMain()
