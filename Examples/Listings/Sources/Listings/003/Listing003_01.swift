import SignalboxDispatch

extension Listing {
  static let number003_01 = Listing(
    "003-01", heading: "Getting a global concurrent queue",
    shows: "the default-priority global queue",
    outcome: "each request gives the same queue; it runs items side by side",
    rows: ["Q4"]
  ) { story in
    let queue = DispatchQueue.global()
    story.check(queue === DispatchQueue.global(), "a second request gives the same queue")
    story.check(
      queue === DispatchQueue.global(priority: .default)
        && queue === DispatchQueue.global(qos: .default),
      "by priority and by class it is the same as well")
    story.check(
      queue !== DispatchQueue.global(priority: .high)
        && queue !== DispatchQueue.global(priority: .low), "high and low are others")

    let meeting = Rendezvous(of: 2)
    let met = Cell(0)
    let group = DispatchGroup()
    for _ in 0..<2 {
      queue.async(group: group) {
        meeting.arrive()
        met.withValue { $0 += 1 }
      }
    }
    group.wait()
    story.check(met.value, is: 2, "two items were running at once")
  }
}
