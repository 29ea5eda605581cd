import SignalboxDispatch

extension Listing {
  static let number002_07 = Listing(
    "002-07", heading: "Waiting for many concurrent jobs",
    shows: "jobs through async(group:), notify on main",
    outcome: "the block runs on main when all jobs are done; one group may span several queues",
    rows: ["G1", "P7"]
  ) { story in
    let backgroundQueue = DispatchQueue.global(qos: .default)
    let queues = [
      backgroundQueue, DispatchQueue(label: "org.signalbox.listings.002-07.serial"),
      DispatchQueue(label: "org.signalbox.listings.002-07.concurrent", attributes: .concurrent),
    ]
    let someArray = Array(1...30)
    let performed = Cell<Set<Int>>([])
    let notices = Cell<[String]>([])
    let notified = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    for item in someArray {
      queues[item % 3].async(group: group) {
        if item == 30 { mayGoOn.wait() }
        performed.withValue { _ = $0.insert(item) }
      }
    }
    group.notify(queue: .main) {
      let line = "\(performed.value.count) done, on \(Place.name)"
      notices.withValue { $0.append(line) }
      notified.signal()
    }
    // One job is still held, so nothing may have been told.
    DispatchQueue.main.sync {}
    story.check(notices.value, is: [], "while one job is not done, main is not told")
    mayGoOn.signal()
    notified.wait()
    story.check(
      notices.value, is: ["30 done, on the main thread"], "main is told when all thirty are done")

    // The group is empty again and can be used again.
    for item in 31...40 {
      backgroundQueue.async(group: group) { performed.withValue { _ = $0.insert(item) } }
    }
    group.wait()
    story.check(performed.value, is: Set(1...40), "the same group serves a second time")
    DispatchQueue.main.sync {}
    story.check(notices.value.count, is: 1, "a notify block runs once")
  }
}
