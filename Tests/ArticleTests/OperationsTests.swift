// OperationsTests — the code of "Operations".

import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

// block: Operations/download
/// Work that continues after its function has returned.
func download(_ address: String) -> Operation {
  AsynchronousOperation { finish in
    DispatchQueue.global().async {
      print("fetched \(address)")
      finish()
    }
  }
}
// end

@Suite("Operations") struct OperationsTests {
  @Test func dependencies() {
    let log = EventLog<String>()
    // block: Operations/dependency
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2

    let resize = BlockOperation { log.append("resize") }
    let upload = BlockOperation { log.append("upload") }
    upload.addDependency(resize)  // of another queue as well
    queue.addOperations([upload, resize], waitUntilFinished: true)
    // end
    #expect(log.all == ["resize", "upload"])
  }

  @Test func asynchronous() {
    let queue = OperationQueue()
    let fetch = download("a")
    queue.addOperation(fetch)
    queue.waitUntilAllOperationsAreFinished()
    #expect(fetch.isFinished)
  }

  @Test func cancelled() {
    let ran = EventCounter()
    // block: Operations/cancel
    let queue = OperationQueue()
    queue.isSuspended = true
    let thumbnail = BlockOperation { ran.increment() }
    queue.addOperation(thumbnail)
    thumbnail.cancel()  // its work will not run; it still finishes
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    // end
    #expect(ran.value == 0 && thumbnail.isFinished)
  }

  @Test func aBarrier() {
    let log = EventLog<String>()
    // block: Operations/barrier
    let queue = OperationQueue()
    for page in 1...3 { queue.addOperation { log.append("page \(page)") } }
    queue.addBarrierBlock { log.append("index") }  // after all of them, alone
    // end
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.all.count == 4 && log.all.last == "index")
  }

  @Test func aCycleOfDependencies() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Said.endWhenReported()
      // block: Operations/circle
      let a = BlockOperation {}
      a.name = "a"
      let b = BlockOperation {}
      b.name = "b"
      a.addDependency(b)
      b.addDependency(a)
      let queue = OperationQueue()
      queue.addOperation(a)
      queue.addOperation(b)
      // end
      while true { pause() }
    }
    // block: Operations/circle-said
    let said = """
      SIGNALBOX: deadlock: these operations wait in their queues and
      depend on each other: the operation "b" (BlockOperation), which
      depends on the operation "a" (BlockOperation), which depends on the
      operation "b" (BlockOperation). None begins unless a dependency is
      removed or one of them is cancelled. Call removeDependency(_:) on
      one of them.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
