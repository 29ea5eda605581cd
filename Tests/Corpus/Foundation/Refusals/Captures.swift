// Captures — what may not be captured by closures that another thread runs, nor sent to it.

import Foundation

final class Counter { var count = 0 }

func sendable<T: Sendable>(_: T.Type) {}

func types() {
  sendable(Thread.self)  // refused in Swift 6
  sendable(RunLoop.self)  // refused in Swift 6
  sendable(Timer.self)  // refused in Swift 6
  sendable(Port.self)  // refused by Foundation in Swift 6
  sendable(NotificationQueue.self)  // refused in Swift 6
  sendable(Operation.self)
  sendable(OperationQueue.self)
  sendable(NSLock.self)
  sendable(RunLoop.Mode.self)
}

func closures(_ loop: RunLoop, _ queue: OperationQueue) {
  let counter = Counter()
  var local = 0
  Thread.detachNewThread { counter.count += 1 }  // refused in Swift 6
  _ = Thread { counter.count += 1 }  // refused in Swift 6
  loop.perform { counter.count += 1 }  // refused in Swift 6
  loop.perform(inModes: [.default]) { local += 1 }  // refused in Swift 6
  _ = Timer(timeInterval: 1, repeats: false) { _ in counter.count += 1 }  // refused in Swift 6
  queue.addOperation { counter.count += 1 }  // refused in Swift 6
  queue.addBarrierBlock { local += 1 }  // refused in Swift 6
  let operation = BlockOperation { counter.count += 1 }  // refused in Swift 6
  operation.addExecutionBlock { counter.count += 1 }  // refused in Swift 6
  operation.completionBlock = { counter.count += 1 }  // refused in Swift 6
  queue.addOperation { operation.cancel() }
}

func objects(_ thread: Thread, _ timer: Timer, _ loop: RunLoop) {
  DispatchQueue.global().async { thread.cancel() }  // refused in Swift 6
  DispatchQueue.global().async { timer.invalidate() }  // refused in Swift 6
  DispatchQueue.global().async { loop.perform {} }  // refused in Swift 6
}

@MainActor func onMainActor() {}

func actors(_ queue: OperationQueue) {
  OperationQueue.main.addOperation { onMainActor() }  // refused
  _ = Timer(timeInterval: 1, repeats: false) { _ in onMainActor() }  // refused
  RunLoop.main.perform { onMainActor() }  // refused
  DispatchQueue.main.async { onMainActor() }
}
