// RemovedDependency — an operation runs once its last dependency is removed.

import Foundation

enum RemovedDependency {
  static func run() {
    let queue = OperationQueue()
    let never = BlockOperation {}
    let done = DispatchSemaphore(value: 0)
    let waiting = BlockOperation { done.signal() }
    waiting.addDependency(never)
    queue.addOperation(waiting)
    waiting.removeDependency(never)
    print("ran:", done.wait(timeout: .now() + 10) == .success)
  }
}
