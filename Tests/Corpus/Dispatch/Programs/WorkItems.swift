// WorkItems — items that are performed, awaited, notified of and cancelled.

import Dispatch

enum WorkItems {
  static func run() {
    let queue = DispatchQueue(label: "corpus.items")
    let lines = Lines()

    let item = DispatchWorkItem(qos: .utility, flags: [.enforceQoS]) { lines.add("item") }
    print(item.isCancelled)
    let told = DispatchSemaphore(value: 0)
    item.notify(queue: queue) {
      lines.add("told by a closure")
      told.signal()
    }
    item.notify(qos: .userInitiated, flags: .enforceQoS, queue: queue) {
      lines.add("told by a closure with a class")
      told.signal()
    }
    item.notify(
      queue: queue,
      execute: DispatchWorkItem {
        lines.add("told by an item")
        told.signal()
      })
    queue.async(execute: item)
    print(item.wait(timeout: .distantFuture))
    for _ in 0..<3 { told.wait() }
    lines.show()

    let unstarted = DispatchWorkItem {}
    print(unstarted.wait(timeout: .now() + .milliseconds(1)))
    print(unstarted.wait(wallTimeout: .now() + .milliseconds(1)))

    let performed = DispatchWorkItem(block: { print("performed here") })
    performed.perform()
    performed.wait()
    let second = DispatchWorkItem { print("performed here, too") }
    second.perform()
    print(second.wait(wallTimeout: .distantFuture))

    let cancelled = DispatchWorkItem { print("never") }
    cancelled.cancel()
    queue.async(execute: cancelled)
    queue.sync {}
    print(cancelled.isCancelled)
    print(DispatchTimeoutResult.success != .timedOut)
    print(DispatchTimeoutResult.success == DispatchTimeoutResult.timedOut)

    let box = Box()
    let counting = DispatchWorkItem { box.count += 1 }
    for _ in 0..<3 { queue.async(execute: counting) }
    queue.sync {}
    print(box.count)
  }

  final class Box { var count = 0 }
}
