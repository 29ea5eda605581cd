// OperationQueue+Progress — how far a queue's operations have come, as Foundation counts it.

public import Foundation
public import SignalboxOperations
import SignalboxRuntime

extension SignalboxOperations.OperationQueue {
  /// The progress of the queue's operations.
  ///
  /// Nothing is counted until its `totalUnitCount` is set to more than 0. From then on each
  /// operation that has run `main()` counts one unit; a `Progress` that is made within
  /// `main()` is a child of it for this unit. Barriers do not count, nor do operations that
  /// were cancelled before they began.
  ///
  /// From any thread; always the same object. A queue that was never asked for it pays
  /// nothing.
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

/// What is kept with a queue whose progress was asked for.
///
/// Foundation's `Progress` adds to its count without a lock, in `resignCurrent()`, and operations
/// that end at once would lose units of each other: each ends with `counting` held.
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
