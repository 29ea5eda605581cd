import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_49 = Listing(
    "004-49", heading: "Pitfalls of thread-safety mechanisms",
    shows: "the element is retained under the lock, used and released after it",
    outcome: "safe and short",
    truth: "in Swift the copied reference retains and releases the object",
    rows: ["L1", "L12", "L11"]
  ) { story in
    let array = Document004.SharedArray()
    weak var observed: Document004.AnObject?
    do {
      let anObject = array.lock.withLock { array.objects[0] }
      observed = anObject
      story.check(array.isFreeForOthers, "during the use the lock is free")
      array.emptyOnAnotherThread()
      story.check(array.lock.withLock { array.objects.count }, is: 0, "the array is emptied")
      story.check(
        anObject.doSomething(), is: "the object does something", "and the use works all the same")
    }
    story.check(observed == nil, "the object goes with the last reference, after its use")

    // The repair of 004-48's deadlock: A holds no lock while it takes the log's.
    let shared = Document004.SharedArray()
    let logLock = NSLock()
    let order = Transcript()
    let bothAreReady = Rendezvous(of: 2)
    let a = JoinableThread {
      let anObject = shared.lock.withLock { shared.objects[0] }
      bothAreReady.arrive()
      logLock.withLock { order.append(anObject.doSomething()) }
    }
    let b = JoinableThread {
      logLock.withLock {
        bothAreReady.arrive()
        let count = shared.lock.withLock { shared.objects.count }
        order.append("the array has \(count) element")
      }
    }
    a.start()
    b.start()
    a.join()
    b.join()
    story.check(
      order.lines, is: ["the array has 1 element", "the object does something"],
      "with one lock at a time neither waits for the other forever")
  }
}
