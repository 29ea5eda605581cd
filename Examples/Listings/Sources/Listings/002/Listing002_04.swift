import SignalboxDispatch
import SignalboxPatterns

extension Listing {
  static let number002_04 = Listing(
    "002-04", heading: "Flattening a completion block",
    shows: "AsyncSerialWorker: a serial queue and one semaphore for each job",
    outcome: "the next job starts when the last has called its done block",
    truth: "each wait holds a thread; repaired, none is held and a second done does no harm",
    rows: ["P3", "G2", "Q1"]
  ) { story in
    let order = Transcript()
    let worker = Document002.AsyncSerialWorker()
    let doneBlocks = Cell<[Document002.DoneBlock]>([])
    let started = DispatchSemaphore(value: 0)
    for job in 1...2 {
      worker.enqueueWork { done in
        order.append("job \(job) starts")
        doneBlocks.withValue { $0.append(done) }
        started.signal()
      }
    }
    started.wait()
    order.append("job 1 calls done")
    doneBlocks.value[0]()
    started.wait()
    doneBlocks.value[1]()
    story.check(
      order.lines, is: ["job 1 starts", "job 1 calls done", "job 2 starts"],
      "the next job starts when the last has called done")

    // Eight workers, each with a job that is under way elsewhere: eight threads
    // do nothing but wait, so no two jobs were started by the same one.
    let threads = Cell<Set<UInt>>([])
    let workers = (0..<8).map { _ in Document002.AsyncSerialWorker() }
    let underWay = Cell<[Document002.DoneBlock]>([])
    for worker in workers {
      worker.enqueueWork { done in
        let thread = Place.thread
        threads.withValue { _ = $0.insert(thread) }
        underWay.withValue { $0.append(done) }
        started.signal()
      }
    }
    for _ in workers { started.wait() }
    story.check(threads.value.count, is: 8, "the fault: eight jobs under way hold eight threads")
    for done in underWay.value { done() }

    // The repair, of `SignalboxPatterns`: eight workers on one serial queue. Were a
    // thread held for each wait, the second job would never start.
    let queue = DispatchQueue(label: "org.signalbox.listings.002-04")
    let repaired = (0..<8).map { _ in AsyncSerialWorker(target: queue) }
    let pending = Cell<[Document002.DoneBlock]>([])
    for worker in repaired {
      worker.enqueueWork { done in
        pending.withValue { $0.append(done) }
        started.signal()
      }
    }
    for _ in repaired { started.wait() }
    story.check(pending.value.count, is: 8, "the repair: eight jobs under way, one serial queue")

    let last = Transcript()
    for job in 1...3 {
      repaired[0].enqueueWork { done in
        last.append("job \(job)")
        if job == 1 { pending.withValue { $0.append(done) } }
        if job > 1 { done() }
        started.signal()
      }
    }
    pending.value[0]()
    pending.value[0]()
    started.wait()
    queue.sync {}
    story.check(last.lines, is: ["job 1"], "a second done does not let a second job start")
    pending.value[8]()
    started.wait()
    started.wait()
    story.check(last.lines, is: ["job 1", "job 2", "job 3"], "the jobs come in order")
  }
}

extension Document002 {
  typealias DoneBlock = @Sendable () -> Void
  typealias WorkBlock = @Sendable (@escaping DoneBlock) -> Void

  /// As the document has it.
  final class AsyncSerialWorker: Sendable {
    private let serialQueue = DispatchQueue(label: "com.khanlou.serial.queue")

    func enqueueWork(_ work: @escaping WorkBlock) {
      serialQueue.async {
        let semaphore = DispatchSemaphore(value: 0)
        work {
          semaphore.signal()
        }
        semaphore.wait()
      }
    }
  }
}
