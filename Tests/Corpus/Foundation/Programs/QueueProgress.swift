// QueueProgress — the progress of a queue, and progress that several operations make.
//
// One operation runs at a time: if several end at once, the toolchain's `Progress` loses units.

import Foundation

enum QueueProgress {
  static func run() {
    let queue = OperationQueue()
    let progress: Progress = queue.progress
    print(progress === queue.progress, progress.totalUnitCount, progress.completedUnitCount)
    progress.totalUnitCount = 4
    queue.maxConcurrentOperationCount = 1
    for _ in 0..<4 { queue.addOperation {} }
    queue.waitUntilAllOperationsAreFinished()
    sleep { progress.completedUnitCount == 4 }
    print(progress.completedUnitCount, progress.fractionCompleted, progress.isFinished)

    let whole = Progress(totalUnitCount: 3)
    let lines = Lines()
    let operations = (0..<3).map { number in
      BlockOperation {
        whole.becomeCurrent(withPendingUnitCount: 1)
        let part = Progress(totalUnitCount: 10)
        part.completedUnitCount = 10
        whole.resignCurrent()
        lines.add("part \(number): \(part.fractionCompleted)")
      }
    }
    let serial = OperationQueue()
    serial.maxConcurrentOperationCount = 1
    serial.addOperations(operations, waitUntilFinished: true)
    lines.show()
    print(whole.fractionCompleted)
    whole.cancellationHandler = { lines.add("cancelled") }
    whole.cancel()
    sleep { lines.count == 1 }
    lines.show()
    print(whole.isCancelled)
  }
}
