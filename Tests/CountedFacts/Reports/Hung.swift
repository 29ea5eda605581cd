// Hung — a process that hangs, for reports from outside. The engine's own search never begins, so no
// deadlock ends the process, and none is known to it.
//
// Each scenario prints `hangs` when all threads are started, and hangs soon after, or does already.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxOperations
import SignalboxRuntime
import SignalboxThreads

package enum HungScenario: String, CountedScenario {
  case hungTwoQueues = "hung-two-queues"
  case hungTwoLocks = "hung-two-locks"
  case hungQueueAndLock = "hung-queue-and-lock"
  case hungSemaphore = "hung-semaphore"
  case hungGroup = "hung-group"
  case hungGroupAndLock = "hung-group-and-lock"
  case hungJoin = "hung-join"
  case hungMainQueue = "hung-main-queue"
  case hungReaders = "hung-readers"
  case hungItself = "hung-itself"
  case hungOwnQueue = "hung-own-queue"
  case hungQueueBehindItsTarget = "hung-queue-behind-its-target"
  case hungBehindABarrier = "hung-behind-a-barrier"
  case hungNothing = "hung-nothing"
  case hungStartedOperation = "hung-started-operation"
  case hungOperationQueue = "hung-operation-queue"
  case hungTwice = "hung-twice"
  case hungLivelock = "hung-livelock"
  case hungStarvedPool = "hung-starved-pool"
  case hungFullPipe = "hung-full-pipe"
  case hungAfterMain = "hung-after-main"
  case hungUnanswered = "hung-unanswered"
}

extension HungScenario: Scenario {
  func run() {
    LongWait.delay.store(.max, ordering: .relaxed)
    withExtendedLifetime(begin()) {
      report("hangs", 1)
      while true { pause() }
    }
  }

  /// - Returns: what must live as long as the process.
  private func begin() -> AnyObject? {
    switch self {
    case .hungTwoQueues:
      let a = DispatchQueue(label: "hung.a"), b = DispatchQueue(label: "hung.b with a long label")
      let meeting = Crossing()
      a.async {
        meeting.first()
        b.sync {}
      }
      b.async {
        meeting.second()
        a.sync {}
      }
    case .hungTwoLocks:
      let one = NSLock(), two = NSLock()
      one.name = "one"
      two.name = "the second lock of two"
      let meeting = Crossing()
      start("left") {
        one.lock()
        meeting.first()
        two.lock()
      }
      start("right") {
        two.lock()
        meeting.second()
        one.lock()
      }
    case .hungQueueAndLock:
      let queue = DispatchQueue(label: "hung.queue"), lock = UnfairLock()
      let meeting = Crossing()
      queue.async {
        meeting.first()
        lock.lock()
      }
      start("holder") {
        lock.lock()
        meeting.second()
        queue.sync {}
      }
    case .hungSemaphore:
      start("waiter") { DispatchSemaphore(value: 0).wait() }
    case .hungGroup:
      start("waiter") {
        let group = DispatchGroup()
        group.enter()
        group.wait()
      }
    case .hungGroupAndLock:
      let group = DispatchGroup(), lock = NSRecursiveLock()
      lock.name = "guard"
      let meeting = Crossing()
      DispatchQueue.global().async(group: group) {
        meeting.first()
        lock.lock()
      }
      start("waiter") {
        lock.lock()
        meeting.second()
        group.wait()
      }
    case .hungJoin:
      let joined = JoinableThread {
        Thread.current.name = "joined"
        DispatchSemaphore(value: 0).wait()
      }
      joined.start()
      start("joiner") { joined.join() }
    case .hungMainQueue:
      start("caller") { DispatchQueue.main.sync {} }
    case .hungReaders:
      let lock = ReadWriteLock(), queue = DispatchQueue(label: "hung.queue")
      lock.name = "table"
      let meeting = Crossing()
      start("reader") {
        lock.lockForReading()
        meeting.first()
        queue.sync {}
      }
      queue.async {
        meeting.second()
        lock.lockForWriting()
      }
    case .hungItself:
      let lock = NSLock()
      lock.name = "own"
      start("owner") {
        lock.lock()
        lock.lock()
      }
    case .hungOwnQueue:
      // With SIGNALBOX_ON_MISUSE=report; otherwise the process ends.
      let queue = DispatchQueue(label: "hung.own")
      queue.async { queue.sync {} }
    case .hungQueueBehindItsTarget:
      let target = DispatchQueue(label: "hung.target")
      let queue = DispatchQueue(label: "hung.above", target: target)
      let lock = NSLock()
      lock.name = "held"
      let meeting = Crossing()
      target.async {
        meeting.first()
        lock.lock()
      }
      start("holder") {
        lock.lock()
        meeting.second()
        queue.async {}
        queue.sync {}
      }
    case .hungBehindABarrier:
      // No deadlock: one signal of the semaphore would end all these waits. The caller holds its queue while
      // it waits for the target, and does not hold the target yet.
      let queue = DispatchQueue(label: "hung.shared", attributes: .concurrent)
      let above = DispatchQueue(label: "hung.above", target: queue)
      let runs = DispatchSemaphore(value: 0)
      queue.async {
        runs.signal()
        DispatchSemaphore(value: 0).wait()
      }
      runs.wait()
      queue.async(flags: .barrier) {}
      start("caller") { above.sync {} }
    case .hungNothing:
      let queue = DispatchQueue(label: "hung.suspended")
      queue.suspend()
      for _ in 0..<3 { queue.async {} }
      return queue
    case .hungStartedOperation:
      let lock = NSLock(), queue = OperationQueue()
      lock.name = "started"
      let crossing = Crossing()
      let operation = OwnStart {
        crossing.first()
        lock.lock()
      }
      queue.addOperation(operation)
      start("waiter") {
        lock.lock()
        crossing.second()
        operation.waitUntilFinished()
      }
    case .hungOperationQueue:
      let lock = UnfairLock(), queue = OperationQueue()
      let crossing = Crossing()
      queue.addOperation {
        crossing.first()
        lock.lock()
      }
      start("waiter") {
        lock.lock()
        crossing.second()
        queue.waitUntilAllOperationsAreFinished()
      }
    case .hungTwice:
      // The first stall ends at SIGUSR1, and the second one begins.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR1)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      let waited = signals
      let gate = DispatchSemaphore(value: 0), group = DispatchGroup()
      let stall = { @Sendable (label: String) in
        let queue = DispatchQueue(label: label)
        queue.async(group: group) { gate.wait() }
        queue.async(group: group) {}
      }
      stall("hung.once")
      start("releaser") {
        var (signals, caught) = (waited, Int32(0))
        sigwait(&signals, &caught)
        gate.signal()
        group.wait()
        report("released", 1)
        stall("hung.again")
      }
    case .hungLivelock:
      // Each lets the other one go first.
      let isOver = (Tally(), Tally())
      let queues = ["hung.after-you.1", "hung.after-you.2"].map { DispatchQueue(label: $0) }
      queues[0].async {
        while isOver.1.count == 0 { sched_yield() }
        isOver.0.increment()
      }
      queues[1].async {
        while isOver.0.count == 0 { sched_yield() }
        isOver.1.increment()
      }
    case .hungStarvedPool:
      // With SIGNALBOX_MAX_WORKERS far below the number of items.
      for number in 1...8 {
        DispatchQueue(label: "hung.busy.\(number)").async { while true { sched_yield() } }
      }
      let queue = DispatchQueue(label: "hung.starved")
      for _ in 0..<3 { queue.async {} }
      return queue
    case .hungFullPipe:
      var ends: [Int32] = [0, 0]
      if pipe(&ends) != 0 { fail("no pipe") }
      report("reader", ends[0])
      report("writer", ends[1])
      let writer = ends[1]
      DispatchQueue(label: "hung.pipe").async {
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        while true { _ = write(writer, bytes, bytes.count) }
      }
    case .hungAfterMain:
      // The process lives on without its first thread.
      let lock = NSLock()
      lock.name = "own"
      start("owner") {
        lock.lock()
        lock.lock()
      }
      report("hangs", 1)
      pthread_exit(nil)
    case .hungUnanswered:
      start("waiter") { DispatchSemaphore(value: 0).wait() }
      report("error", Int(csc_unanswered_page()))
    }
    return nil
  }

  private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.start()
  }
}

/// An operation that says itself when it is finished, which it never is.
private final class OwnStart: Operation, @unchecked Sendable {  // SAFETY: nothing changes.
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  override var isFinished: Bool { false }

  override func start() { body() }
}

/// Two threads wait here for each other.
final class Crossing: Sendable {
  private let one = DispatchSemaphore(value: 0), two = DispatchSemaphore(value: 0)

  func first() {
    two.signal()
    one.wait()
  }

  func second() {
    one.signal()
    two.wait()
  }
}
