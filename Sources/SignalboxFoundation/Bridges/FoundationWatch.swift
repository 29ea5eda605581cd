// FoundationWatch — who is told when operations of Foundation's are finished. It has no
// notification of that; an operation that depends on them, in a queue of Foundation's, is one.

import Foundation

enum FoundationWatch {
  /// Its operations only call what follows.
  private static let queue = Foundation.OperationQueue()

  /// Has `next` called when all are finished, on a thread of the toolchain's.
  static func whenFinished(
    _ operations: [Foundation.Operation], _ next: @escaping @Sendable () -> Void
  ) {
    let watch = Foundation.BlockOperation(block: next)
    for operation in operations { watch.addDependency(operation) }
    queue.addOperation(watch)
  }
}
