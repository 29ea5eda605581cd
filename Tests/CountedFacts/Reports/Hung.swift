// Hung — a process that hangs, for reports from outside. The engine's own search never begins, so no
// deadlock ends the process, and none is known to it.
//
// Each scenario prints `hangs` when all threads are started, and hangs soon after, or does already.

import Glibc
import SignalboxDispatch
import SignalboxLocks
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
  case hungQueueBehindItsTarget = "hung-queue-behind-its-target"
  case hungBehindABarrier = "hung-behind-a-barrier"
  case hungNothing = "hung-nothing"
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
      let meeting = Meeting()
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
      let meeting = Meeting()
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
      let meeting = Meeting()
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
      let meeting = Meeting()
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
      let meeting = Meeting()
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
    case .hungQueueBehindItsTarget:
      let target = DispatchQueue(label: "hung.target")
      let queue = DispatchQueue(label: "hung.above", target: target)
      let lock = NSLock()
      lock.name = "held"
      let meeting = Meeting()
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
    }
    return nil
  }

  private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.start()
  }
}

/// Two threads wait here for each other.
private final class Meeting: Sendable {
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
