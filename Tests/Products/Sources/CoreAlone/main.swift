// A program that links SignalboxCore and nothing else: queues without the recorder.

import Deadlock
import SignalboxDispatch

if CommandLine.arguments.contains("deadlock") { runIntoADeadlock() }

let group = DispatchGroup()
let queue = DispatchQueue(label: "org.example.core")
let timer = DispatchSource.makeTimerSource(queue: queue)
for _ in 0..<1_000 { queue.async(group: group) {} }
group.enter()
timer.setEventHandler {
  timer.cancel()
  group.leave()
}
timer.schedule(deadline: .now() + .milliseconds(1))
timer.activate()
DispatchQueue.concurrentPerform(iterations: 100) { _ in queue.sync {} }
group.wait()
print("done")
