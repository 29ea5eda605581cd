import SignalboxDispatch

extension Listing {
  static let number003_03 = Listing(
    "003-03", heading: "Adding single tasks to a queue",
    shows: "one async, one sync on a serial queue; each tells its thread",
    outcome: "async runs on another thread, sync on the caller's",
    truth: "nothing needs to be released: the queue stays until its work is done",
    rows: ["Q1", "Q6", "Q14", "T1"]
  ) { story in
    let printed = Transcript()
    DispatchQueue.main.sync {
      let caller = Place.thread
      printed.append("calling thread: \(Place.name)")
      let queue = DispatchQueue(label: "cn.itcast.queue")
      queue.async {
        printed.append("async, thread: \(Place.name)")
      }
      queue.sync {
        printed.append("sync, thread: \(Place.thread == caller ? "the caller's" : "another")")
      }
    }
    story.tell(printed)
    story.check(
      printed.lines,
      is: [
        "calling thread: the main thread", "async, thread: another thread",
        "sync, thread: the caller's",
      ], "the document's three lines, in its order")

    // The last reference goes while an item is waiting to run.
    let mayRun = DispatchSemaphore(value: 0)
    let hasRun = DispatchSemaphore(value: 0)
    var queue: DispatchQueue? = DispatchQueue(label: "cn.itcast.queue")
    queue?.async { mayRun.wait() }
    queue?.async { hasRun.signal() }
    queue = nil
    mayRun.signal()
    story.check(
      hasRun.wait(timeout: .distantFuture) == .success, "a queue let go still runs its items")
  }
}
