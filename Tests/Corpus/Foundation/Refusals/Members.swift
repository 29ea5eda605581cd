// Members — what may not be assigned to, made or called.

import Foundation

func members(
  _ thread: Thread, _ timer: Timer, _ operation: Operation, _ queue: OperationQueue,
  _ lock: NSConditionLock, _ port: SocketPort
) {
  thread.isCancelled = true  // refused
  thread.threadDictionary = NSMutableDictionary()  // refused
  Thread.current = thread  // refused
  timer.isValid = false  // refused
  timer.timeInterval = 1  // refused
  timer.userInfo = 1  // refused
  operation.isFinished = true  // refused
  operation.isReady = true  // refused
  operation.dependencies = []  // refused
  operation.addDependency(queue)  // refused
  operation.queuePriority = 4  // refused
  queue.operations = []  // refused
  queue.operationCount = 0  // refused
  queue.progress = Progress(totalUnitCount: 1)  // refused
  OperationQueue.main = queue  // refused
  OperationQueue.current = queue  // refused
  queue.addOperation(thread)  // refused
  queue.addOperations([{}], waitUntilFinished: false)  // refused
  lock.condition = 1  // refused
  port.address = Data()  // refused
  RunLoop.main.currentMode = .default  // refused
  RunLoop.main.add(timer, forMode: "mode")  // refused
  RunLoop.main.run(until: 1)  // refused
  _ = RunLoop.Mode.tracking  // refused
  _ = Timer(timeInterval: 1, repeats: false)  // refused
  _ = MessagePort()  // refused by Foundation
  _ = NSLock(name: "lock")  // refused
  let all: [NSLocking] = [NSLock(), NSCondition()]
  _ = all
}

class OwnRunLoop: RunLoop {}  // refused by Foundation
class OwnThread: Thread {}  // refused by Foundation
// SAFETY: it has no state of its own.
class OwnLock: NSLock, @unchecked Sendable {}  // refused by Foundation
// SAFETY: it has no state of its own.
class OwnRecursiveLock: NSRecursiveLock, @unchecked Sendable {}  // refused by Foundation
// SAFETY: it has no state of its own.
class OwnCondition: NSCondition, @unchecked Sendable {}  // refused by Foundation
class OwnTimer: Timer {}
class OwnQueue: NotificationQueue {}
// SAFETY: it has no state of its own.
class OwnConditionLock: NSConditionLock, @unchecked Sendable {}
