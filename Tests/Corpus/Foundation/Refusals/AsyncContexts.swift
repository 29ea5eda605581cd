// AsyncContexts — what an asynchronous function may not call: Swift 5 warns of it.

import Foundation

func locks(
  _ lock: NSLock, _ recursive: NSRecursiveLock, _ condition: NSCondition,
  _ conditionLock: NSConditionLock, _ any: any NSLocking
) async {
  lock.lock()  // refused in Swift 6
  lock.unlock()  // refused in Swift 6
  _ = lock.try()  // refused in Swift 6
  _ = lock.lock(before: .distantPast)  // refused in Swift 6
  recursive.lock()  // refused in Swift 6
  recursive.unlock()  // refused in Swift 6
  _ = recursive.try()  // refused in Swift 6
  _ = recursive.lock(before: .distantPast)  // refused in Swift 6
  condition.lock()  // refused in Swift 6
  condition.unlock()  // refused in Swift 6
  condition.wait()  // refused in Swift 6
  _ = condition.wait(until: .distantPast)  // refused in Swift 6
  condition.signal()  // refused in Swift 6
  condition.broadcast()
  conditionLock.lock()  // refused in Swift 6
  conditionLock.unlock()  // refused in Swift 6
  conditionLock.lock(whenCondition: 1)  // refused in Swift 6
  _ = conditionLock.try()  // refused in Swift 6
  _ = conditionLock.tryLock(whenCondition: 1)  // refused in Swift 6
  conditionLock.unlock(withCondition: 1)  // refused in Swift 6
  _ = conditionLock.lock(before: .distantPast)  // refused in Swift 6
  _ = conditionLock.lock(whenCondition: 1, before: .distantPast)  // refused in Swift 6
  any.lock()
  any.unlock()
  _ = lock.withLock { 1 }
  _ = recursive.withLock { 1 }
  _ = condition.withLock { 1 }
  _ = conditionLock.withLock { 1 }
  _ = any.withLock { 1 }
}

func threads() async {
  _ = Thread.current  // refused in Swift 6
  _ = Thread.isMainThread
  _ = Thread.mainThread
  Thread.sleep(forTimeInterval: 0)  // refused in Swift 6
  Thread.sleep(until: .distantPast)  // refused in Swift 6
  _ = Thread.mainThread.isMainThread  // refused in Swift 6
  Thread.exit()  // refused in Swift 6
}

func loops() async {
  _ = RunLoop.current  // refused in Swift 6
  let loop = RunLoop.main
  loop.perform {}
  loop.run()  // refused in Swift 6
  loop.run(until: .distantPast)  // refused in Swift 6
  _ = loop.run(mode: .default, before: .distantPast)  // refused in Swift 6
  loop.acceptInput(forMode: "mode", before: .distantPast)  // refused in Swift 6
  _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in }  // refused in Swift 6
  _ = Timer(timeInterval: 1, repeats: false) { _ in }
}

func operations(_ operation: Operation, _ queue: OperationQueue) async {
  operation.waitUntilFinished()  // refused in Swift 6
  operation.start()
  queue.addOperations([operation], waitUntilFinished: false)  // refused in Swift 6
  queue.waitUntilAllOperationsAreFinished()  // refused in Swift 6
  queue.addOperation(operation)
  queue.addOperation {}
  queue.addBarrierBlock {}
}
