import SignalboxDispatch
import SignalboxOperations
import SignalboxPatterns

extension Listing {
  static let number002_06 = Listing(
    "002-06", heading: "Limiting the number of concurrent jobs",
    shows: "LimitedWorker: a concurrent queue and a counting semaphore",
    outcome: "at most the limit of jobs run at a time",
    truth: "each waiting job holds a thread; repaired, none does",
    rows: ["P4", "G2", "O3"]
  ) { story in
    // Two jobs at a time meet each other: the limit is reached, and the count
    // says that it is kept.
    let census = Document002.Census()
    let meeting = Rendezvous(of: 2)
    let worker = Document002.LimitedWorker(limit: 2)
    let all = DispatchGroup()
    for _ in 0..<8 {
      all.enter()
      worker.enqueueWork {
        census.enter()
        meeting.arrive()
        census.leave()
        all.leave()
      }
    }
    all.wait()
    story.check(census.most, is: 2, "with a limit of 2 there were 2 at a time, never more")

    // An operation queue has such a limit built in.
    let operations = Document002.Census()
    let queueOfTwo = OperationQueue()
    queueOfTwo.maxConcurrentOperationCount = 2
    for _ in 0..<8 {
      queueOfTwo.addOperation {
        operations.enter()
        meeting.arrive()
        operations.leave()
      }
    }
    queueOfTwo.waitUntilAllOperationsAreFinished()
    story.check(operations.most, is: 2, "like an operation queue of that width")

    // Seven jobs wait behind one that goes on: each has its thread.
    let hold = DispatchSemaphore(value: 0)
    let waiting = DispatchSemaphore(value: 0)
    let threads = Cell<Set<UInt>>([])
    let single = Document002.LimitedWorker(limit: 1) {
      let thread = Place.thread
      threads.withValue { _ = $0.insert(thread) }
      waiting.signal()
    }
    for _ in 0..<8 {
      all.enter()
      single.enqueueWork {
        hold.wait()
        all.leave()
      }
    }
    for _ in 0..<8 { waiting.wait() }
    story.check(threads.value.count, is: 8, "the fault: one job runs, eight threads are held")
    for _ in 0..<8 { hold.signal() }
    all.wait()

    // The repair, of `SignalboxPatterns`: what has to wait is not yet on any queue. The
    // jobs go on elsewhere, and the one serial queue that starts them is free.
    let queue = DispatchQueue(label: "org.signalbox.listings.002-06")
    let repaired = LimitedWorker(limit: 2, target: queue)
    let started = DispatchSemaphore(value: 0)
    let later = Document002.Census()
    let underWay = Cell<[DoneBlock]>([])
    for _ in 0..<8 {
      all.enter()
      repaired.enqueueWork { done in
        later.enter()
        underWay.withValue { $0.append(done) }
        started.signal()
      }
    }
    started.wait()
    started.wait()
    queue.sync {}
    story.check(underWay.value.count, is: 2, "the repair: two are under way, no thread is held")
    for job in 0..<8 {
      later.leave()
      underWay.value[job]()
      all.leave()
      if job < 6 { started.wait() }
    }
    all.wait()
    story.check(later.most, is: 2, "and the limit is kept")
  }
}

extension Document002 {
  /// Counts how many are inside, and how many there were at most.
  final class Census: Sendable {
    private let counts = Cell<(now: Int, most: Int)>((0, 0))

    var most: Int { counts.value.most }

    func enter() {
      counts.withValue {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }

    func leave() { counts.withValue { $0.now -= 1 } }
  }

  /// As the document has it; `willWait` is told on the thread that will wait.
  final class LimitedWorker: Sendable {
    private let concurrentQueue = DispatchQueue(
      label: "com.khanlou.concurrent.queue", attributes: .concurrent)
    private let semaphore: DispatchSemaphore
    private let willWait: @Sendable () -> Void

    init(limit: Int, willWait: @escaping @Sendable () -> Void = {}) {
      semaphore = DispatchSemaphore(value: limit)
      self.willWait = willWait
    }

    func enqueueWork(_ work: @escaping @Sendable () -> Void) {
      concurrentQueue.async {
        self.willWait()
        self.semaphore.wait()
        work()
        self.semaphore.signal()
      }
    }
  }
}
