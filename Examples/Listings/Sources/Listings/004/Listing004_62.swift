import SignalboxDispatch
import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_62 = Listing(
    "004-62", heading: "Using NSLock",
    shows: "try, or lock before a date, then work and unlock",
    outcome: "the thread works with the lock held",
    truth:
      "only if the program checks the result. Until the date lock(before:) waits, then it "
      + "is false. Two threads that try and make way for each other can do so forever",
    rows: ["L1", "L11"],
    fault: {
      let test = Document004.TestLock()
      let firstIsInside = DispatchSemaphore(value: 0)
      let processHasEnded = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        test.nslock.lock()
        firstIsInside.signal()
        // Nobody signals it: the first thread stays inside.
        processHasEnded.wait()
        test.nslock.unlock()
      }
      firstIsInside.wait()
      test.acquireLockAsPrinted { print("Do work...") }
      print("free while the first is inside: \(test.nslock.try())")
    }
  ) { story in
    let report = try story.runFault()
    for line in report.output { story.tell("| \(line)") }
    story.check(
      report.output, is: ["Do work...", "free while the first is inside: true"],
      "the fault: the second works unguarded, then takes the lock from the first")
    story.check(
      report.message.contains("the NSLock \"nslock\" was unlocked by"),
      "unlocking what another thread holds is said")

    // The repair: without the lock no work, and no unlock.
    let test = Document004.TestLock()
    let work = Cell(0)
    let firstIsInside = DispatchSemaphore(value: 0)
    let firstMayLeave = DispatchSemaphore(value: 0)
    let first = JoinableThread {
      test.nslock.withLock {
        firstIsInside.signal()
        firstMayLeave.wait()
        work.value += 1
      }
    }
    first.start()
    firstIsInside.wait()
    story.check(!test.acquireLock { work.value += 1 }, "the repair: while it is held try is false")
    story.check(
      !test.acquireLock(before: Date(timeIntervalSinceNow: 0.01)) { work.value += 1 },
      "so is lock(before:) when its date has come")
    story.check(work.value, is: 0, "and no work was done")
    firstMayLeave.signal()
    story.check(
      test.acquireLock(before: .distantFuture) { work.value += 1 },
      "when the first leaves before the date, the wait ends with true")
    first.join()
    story.check(work.value, is: 2, "each has worked once, with the lock held")
    story.check(
      test.acquireLock(before: Date(timeIntervalSinceNow: 10)) {}, "a free lock is taken at once")

    // The text's livelock: two that use try, and are polite.
    let livelock = Document004.twoPoliteThreads(rounds: 100)
    story.check(
      livelock.attempts, is: 200, "the livelock: two polite threads try a hundred times each")
    story.check(livelock.works, is: 0, "none of them waits, and none gets to work")
    story.check(
      Document004.twoThreadsInOrder(), is: 2,
      "the repair: both take the locks in one order, and wait for them; both get to work")
  }
}

extension Document004 {
  final class TestLock: Sendable {
    let nslock = NSLock()

    init() { nslock.name = "nslock" }

    /// As printed: nobody looks at the result.
    func acquireLockAsPrinted(_ work: () -> Void) {
      _ = nslock.try()
      work()
      nslock.unlock()
    }

    func acquireLock(_ work: () -> Void) -> Bool {
      guard nslock.try() else { return false }
      defer { nslock.unlock() }
      work()
      return true
    }

    func acquireLock(before limit: Date, _ work: () -> Void) -> Bool {
      guard nslock.lock(before: limit) else { return false }
      defer { nslock.unlock() }
      work()
      return true
    }
  }

  /// Each thread has one of two locks and tries for the other one. If it is taken, it
  /// steps back, so that the other thread may go first. In life they keep step by bad
  /// luck, here they meet.
  static func twoPoliteThreads(rounds: Int) -> (attempts: Int, works: Int) {
    let locks = [NSLock(), NSLock()]
    let attempts = Cell(0)
    let works = Cell(0)
    let step = Rendezvous(of: 2)
    runSideBySide(2) { me in
      let (own, other) = (locks[me], locks[1 - me])
      for _ in 0..<rounds {
        own.lock()
        step.arrive()
        attempts.withValue { $0 += 1 }
        let isMine = other.try()
        if isMine {
          works.withValue { $0 += 1 }
          other.unlock()
        }
        step.arrive()
        own.unlock()
      }
    }
    return (attempts.value, works.value)
  }

  /// Both threads take the first lock first. How many of them get to work.
  static func twoThreadsInOrder() -> Int {
    let locks = [NSLock(), NSLock()]
    let works = Cell(0)
    let start = Rendezvous(of: 2)
    runSideBySide(2) { _ in
      start.arrive()
      locks[0].withLock {
        locks[1].withLock { works.withValue { $0 += 1 } }
      }
    }
    return works.value
  }
}
