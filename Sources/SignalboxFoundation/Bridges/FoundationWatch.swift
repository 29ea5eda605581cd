// FoundationWatch — calls a closure when Foundation operations are finished. Foundation has no
// notification for that, so the watch adds an operation that depends on them to a Foundation
// queue.

import Foundation

enum FoundationWatch {
  /// Its operations only call the closures.
  private static let queue = Foundation.OperationQueue()

  /// Calls `next` when all operations are finished, on a toolchain thread.
  static func whenFinished(
    _ operations: [Foundation.Operation], _ next: @escaping @Sendable () -> Void
  ) {
    let watch = Foundation.BlockOperation(block: next)
    for operation in operations { watch.addDependency(operation) }
    queue.addOperation(watch)
  }
}
