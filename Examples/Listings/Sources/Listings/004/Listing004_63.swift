import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_63 = Listing(
    "004-63", heading: "Using NSRecursiveLock",
    shows: "a function that locks and calls itself down to 0",
    outcome: "no deadlock: the thread that holds the lock may take it again",
    truth: "with a plain NSLock the thread would wait for itself, which is reported",
    rows: ["L2"],
    fault: {
      endAtADeadlock()
      let nslock = NSLock()
      nslock.name = "nslock"
      nslock.lock()
      // The function calls itself.
      nslock.lock()
    }
  ) { story in
    let test = Document004.RecursiveTestLock()
    test.recursiveFunction(5)
    story.tell(test.printed)
    story.check(
      test.printed.lines, is: ["4", "3", "2", "1", "0"], "the function comes down to 0")
    story.check(test.isFreeForOthers, "left as often as it was taken, the lock is free")

    let again = Document004.RecursiveTestLock()
    var isFree: [Bool] = []
    again.nsRecursiveLock.lock()
    again.nsRecursiveLock.lock()
    isFree.append(again.isFreeForOthers)
    again.nsRecursiveLock.unlock()
    isFree.append(again.isFreeForOthers)
    again.nsRecursiveLock.unlock()
    isFree.append(again.isFreeForOthers)
    story.check(
      isFree, is: [false, false, true], "taken twice, it is free after the second unlock")

    let report = try story.runFault()
    story.check(
      report.message.contains("deadlock") && report.message.contains("\"nslock\""),
      "the fault: the same with NSLock is reported as a deadlock, with the lock's name")
  }
}

extension Document004 {
  final class RecursiveTestLock: Sendable {
    let nsRecursiveLock = NSRecursiveLock()
    let printed = Transcript()

    func recursiveFunction(_ value: Int) {
      nsRecursiveLock.lock()
      if value != 0 {
        printed.append("\(value - 1)")
        recursiveFunction(value - 1)
      }
      nsRecursiveLock.unlock()
    }

    /// Whether another thread finds the lock free at this moment.
    var isFreeForOthers: Bool {
      let thread = JoinableThread {
        guard self.nsRecursiveLock.try() else { return false }
        self.nsRecursiveLock.unlock()
        return true
      }
      thread.start()
      return thread.join()
    }
  }
}
