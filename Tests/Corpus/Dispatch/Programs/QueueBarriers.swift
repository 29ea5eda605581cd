// QueueBarriers — which work runs concurrently on a concurrent queue.

import Dispatch

enum QueueBarriers {
  static func run() {
    let queue = DispatchQueue(label: "corpus.barriers", attributes: .concurrent)
    let lines = Lines()
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    // Each waits for the other, so they run at the same time.
    queue.async {
      first.signal()
      second.wait()
      lines.add("a reader")
    }
    queue.async {
      second.signal()
      first.wait()
      lines.add("a reader")
    }
    queue.async(flags: .barrier) { lines.add("a writer") }
    queue.async { lines.add("a later reader") }
    queue.sync(flags: .barrier) { lines.add("the last writer") }
    queue.async(execute: DispatchWorkItem(flags: .barrier) { lines.add("a writing item") })
    queue.sync(execute: DispatchWorkItem(flags: .barrier) { lines.add("a writer, waited for") })
    lines.show()

    // Readers and writers of one value.
    // SAFETY: written in barriers, read on the queue.
    nonisolated(unsafe) var total = 0
    DispatchQueue.concurrentPerform(iterations: 100) { _ in
      queue.sync(flags: .barrier) { total += 1 }
    }
    print(queue.sync { total })
  }
}
