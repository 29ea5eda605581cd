// Captures — what may not be captured, by which closures.

import Dispatch

final class Counter { var count = 0 }
@MainActor func onMainActor() {}

func sendableClosures(_ queue: DispatchQueue, _ group: DispatchGroup) {
  let counter = Counter()
  queue.async { counter.count += 1 }  // refused in Swift 6
  queue.async(group: group) { counter.count += 1 }  // refused in Swift 6
  queue.async(group: nil, qos: .utility, flags: []) { counter.count += 1 }  // refused in Swift 6
  queue.asyncAfter(deadline: .now()) { counter.count += 1 }  // refused in Swift 6
  queue.asyncAfter(wallDeadline: .now()) { counter.count += 1 }  // refused in Swift 6
  var local = 0
  queue.async { local += 1 }  // refused in Swift 6
  let item = DispatchWorkItem {}
  queue.async { item.perform() }  // refused in Swift 6
  DispatchQueue.concurrentPerform(iterations: 2) { _ in local += 1 }  // refused in Swift 6
}

func otherClosures(_ queue: DispatchQueue, _ group: DispatchGroup) {
  let counter = Counter()
  var local = 0
  queue.sync { local += 1 }
  queue.sync(flags: .barrier) { local += counter.count }
  group.notify(queue: queue) { counter.count += 1 }
  let item = DispatchWorkItem { counter.count += 1 }
  item.notify(queue: queue) { counter.count += 1 }
  queue.async(execute: item)
}

func functionValues(
  _ queue: DispatchQueue, plain: @escaping () -> Void, sendable: @escaping @Sendable () -> Void
) {
  queue.async(execute: sendable)
  queue.asyncAfter(deadline: .now(), execute: sendable)
  queue.async(execute: plain)  // refused in Swift 6
  queue.asyncAfter(wallDeadline: .now(), execute: plain)  // refused in Swift 6
  queue.sync(execute: plain)
  _ = DispatchWorkItem(block: plain)
}

func actors(_ queue: DispatchQueue, _ group: DispatchGroup) {
  DispatchQueue.main.async { onMainActor() }
  DispatchQueue.main.async(group: group, qos: .utility, flags: []) { onMainActor() }
  DispatchQueue.main.asyncAfter(deadline: .now()) { onMainActor() }
  queue.async { onMainActor() }  // refused
  queue.sync { onMainActor() }  // refused
  group.notify(queue: .main) { onMainActor() }  // refused
}
