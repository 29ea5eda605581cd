import SignalboxDispatch

extension Listing {
  static let number003_02 = Listing(
    "003-02", heading: "Creating a serial queue",
    shows: "a queue with a label and no attribute",
    outcome: "no attribute means serial: one item at a time, in the order submitted",
    rows: ["Q1", "Q5"]
  ) { story in
    let queue = DispatchQueue(label: "cn.itcast.queue")
    story.check(queue.label, is: "cn.itcast.queue", "the label is the one given")

    let order = Cell<[Int]>([])
    let census = Document002.Census()
    for index in 0..<1_000 {
      queue.async {
        census.enter()
        order.withValue { $0.append(index) }
        census.leave()
      }
    }
    queue.sync {}
    story.check(order.value, is: Array(0..<1_000), "a thousand items ran in the order submitted")
    story.check(census.most, is: 1, "one at a time")
  }
}
