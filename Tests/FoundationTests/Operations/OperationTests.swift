import SignalboxFoundation
import SignalboxTestSupport
import Testing

struct OperationTests {
  @Test func theNamesAreOurs() {
    let types: [Any.Type] = [Operation.self, BlockOperation.self, OperationQueue.self]
    for type in types { #expect(String(reflecting: type).contains("Signalbox"), "\(type)") }
    let counted = Counted()
    let queue = OperationQueue()
    queue.addOperation(counted)
    queue.waitUntilAllOperationsAreFinished()
    #expect(counted.isFinished)
    #expect(counted.runs.current == 1)
  }

  private final class Counted: Operation, @unchecked Sendable {  // SAFETY: `runs` is guarded.
    let runs = Guarded(0)
    override func main() { runs.withValue { $0 += 1 } }
  }

  @Test func progressCountsFinishedOperations() {
    let queue = OperationQueue()
    queue.progress.totalUnitCount = 4
    for _ in 0..<3 { queue.addOperation {} }
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.progress.completedUnitCount == 3)
    queue.addOperation {}
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.progress.isFinished)
    #expect(queue.progress === queue.progress)
  }

  @Test func noUnitIsLostIfOperationsEndAtTheSameTime() {
    let count = 20_000
    let queue = OperationQueue()
    queue.progress.totalUnitCount = Int64(count)
    for _ in 0..<count { queue.addOperation {} }
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.progress.completedUnitCount == count)
    #expect(queue.progress.fractionCompleted == 1)
  }

  @Test func nothingIsCountedBeforeATotalIsSet() {
    let queue = OperationQueue()
    _ = queue.progress
    queue.addOperation {}
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.progress.completedUnitCount == 0)
    #expect(queue.progress.totalUnitCount == 0)
  }

  @Test func aProgressCreatedByAnOperationIsItsChild() {
    let queue = OperationQueue()
    queue.progress.totalUnitCount = 2
    let half = Gate("half")
    let go = Gate("go")
    queue.addOperation {
      let own = Progress(totalUnitCount: 10)
      own.completedUnitCount = 5
      half.open()
      go.pass()
      own.completedUnitCount = 10
    }
    #expect(throws: Never.self) { try half.wait() }
    #expect(queue.progress.fractionCompleted == 0.25)
    go.open()
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.progress.fractionCompleted == 0.5)
  }

  @Test func barriersAndCancelledOperationsDoNotCount() {
    let queue = OperationQueue()
    queue.progress.totalUnitCount = 10
    queue.isSuspended = true
    let cancelled = BlockOperation {}
    queue.addOperation(cancelled)
    queue.addBarrierBlock {}
    queue.addOperation {}
    cancelled.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.progress.completedUnitCount == 1)
  }
}
