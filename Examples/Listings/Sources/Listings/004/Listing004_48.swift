import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_48 = Listing(
    "004-48", heading: "Pitfalls of thread-safety mechanisms",
    shows: "the use moved under the lock",
    outcome: "safe, but a long use holds the lock",
    truth: "a use that takes a lock of its own can also end in a deadlock, which is reported",
    rows: ["L1", "L12", "L11"],
    fault: {
      endAtADeadlock()
      // The use writes a log, which has a lock too. Who writes the log reads the array.
      let arrayLock = NSLock()
      arrayLock.name = "arrayLock"
      let logLock = NSLock()
      logLock.name = "logLock"
      let bothHoldOne = Rendezvous(of: 2)
      let a = JoinableThread {
        arrayLock.withLock {
          bothHoldOne.arrive()
          logLock.withLock {}
        }
      }
      a.name = "A"
      let b = JoinableThread {
        logLock.withLock {
          bothHoldOne.arrive()
          arrayLock.withLock {}
        }
      }
      b.name = "B"
      a.start()
      b.start()
      a.join()
    }
  ) { story in
    let array = Document004.SharedArray()
    let order = Transcript()
    let emptier = JoinableThread {
      array.lock.withLock {
        array.objects.removeAll()
        order.append("the array is emptied")
      }
    }
    array.lock.lock()
    let anObject = array.objects[0]
    emptier.start()
    let isFree = array.isFreeForOthers
    order.append(anObject.doSomething())
    array.lock.unlock()
    emptier.join()
    story.check(
      order.lines, is: ["the object does something", "the array is emptied"],
      "used under the lock, the object is there: the emptying comes after it")
    story.check(!isFree, "the price: as long as the use lasts nobody else has the lock")

    let report = try story.runFault()
    story.check(
      ["deadlock", "\"A\"", "\"B\"", "\"arrayLock\"", "\"logLock\""]
        .allSatisfy(report.message.contains),
      "A and B each hold one lock and want the other's: the report names both and both locks")
  }
}
