// OperationQueue+Progress — the progress of a queue's operations, as Foundation counts it.

public import Foundation
public import SignalboxOperations
import SignalboxRuntime

extension SignalboxOperations.OperationQueue {
  /// The progress of the queue's operations.
  ///
  /// The queue counts nothing until you set `totalUnitCount` to more than 0. From then on, each
  /// operation that has run `main()` counts as one unit. A `Progress` that you create within
  /// `main()` becomes a child for that unit. Barriers do not count, nor do operations that were
  /// cancelled before they began.
  ///
  /// Use it from any thread; it is always the same object. A queue whose progress you never ask
  /// for pays nothing.
  ///
  /// Source: Apple's documentation of `OperationQueue.progress`.
  public var progress: Progress {
    let attached = attachment {
      let progress = Progress(parent: nil, userInfo: nil)
      progress.totalUnitCount = 0
      return QueueProgress(progress)
    }
    guard let counted = attached as? QueueProgress else {
      internalBug("another module keeps something with an operation queue.")
    }
    set(counted.monitor)
    return counted.progress
  }
}

/// The progress object and monitor of a queue.
///
/// Foundation's `Progress` adds to its count without a lock in `resignCurrent()`, so operations
/// that end at the same time would lose units. Each therefore calls it with `counting` held.
private final class QueueProgress {
  let progress: Progress
  let monitor: OperationMonitor

  init(_ progress: Progress) {
    self.progress = progress
    let counting = EngineLock()
    monitor = OperationMonitor { _, work in
      guard progress.totalUnitCount > 0 else { return work() }
      progress.becomeCurrent(withPendingUnitCount: 1)
      work()
      counting.withLock { progress.resignCurrent() }
    }
  }
}
