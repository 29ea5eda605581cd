// AsyncContexts — what may be called in an asynchronous function. On Linux, all.

import Dispatch

func waits(
  _ queue: DispatchQueue, _ group: DispatchGroup, _ semaphore: DispatchSemaphore,
  _ item: DispatchWorkItem
) async {
  semaphore.wait()
  _ = semaphore.wait(timeout: .now())
  _ = semaphore.wait(wallTimeout: .now())
  semaphore.signal()
  group.enter()
  group.leave()
  group.wait()
  _ = group.wait(timeout: .now())
  _ = group.wait(wallTimeout: .now())
  item.wait()
  _ = item.wait(timeout: .now())
  _ = item.wait(wallTimeout: .now())
  item.perform()
  queue.sync {}
  queue.sync(execute: item)
  _ = queue.sync { 1 }
  queue.sync(flags: .barrier) {}
  queue.async {}
  queue.suspend()
  queue.resume()
  queue.activate()
  DispatchQueue.concurrentPerform(iterations: 1) { _ in }
  dispatchPrecondition(condition: .notOnQueue(queue))
}

func ends() async {
  dispatchMain()
}

@available(*, noasync) func notInAsync() {}

func closures(_ queue: DispatchQueue) async {
  queue.async { notInAsync() }
  queue.sync { notInAsync() }
  await withCheckedContinuation { continuation in
    queue.asyncAfter(deadline: .now() + 1) { continuation.resume() }
  }
  notInAsync()  // refused in Swift 6
}
