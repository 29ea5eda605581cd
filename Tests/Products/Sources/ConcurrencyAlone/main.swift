// A program that imports SignalboxConcurrency and nothing else.

import SignalboxConcurrency

try SignalboxExecutors.adopt()
let queue = DispatchQueue(label: "org.example.tasks")
let done = DispatchSemaphore(value: 0)
Task.detached {
  try? await queue.perform {}
  done.signal()
}
done.wait()
print("done")
