// Runs items on a queue of the toolchain's interface until its input ends.

import Dispatch
import Glibc

let queue = DispatchQueue(label: "org.example.busy")
// SAFETY: read and written on the queue.
nonisolated(unsafe) var isOver = false

@Sendable func goOn() {
  if !isOver { queue.asyncAfter(deadline: .now() + .milliseconds(1), execute: goOn) }
}

queue.async(execute: goOn)
print("ready")
fflush(nil)
_ = readLine()
queue.sync { isOver = true }
