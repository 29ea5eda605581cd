import SignalboxDispatch

extension Listing {
  static let number001_11 = Listing(
    "001-11", heading: "Visual review of queueing: async",
    shows: "the same with async",
    outcome: "second log, then first log in the picture; not guaranteed; six steps",
    rows: ["W4", "Q6", "Q4"]
  ) { story in
    // As printed: whichever order, both lines come, and main is not held.
    let log = Transcript()
    let first = DispatchSemaphore(value: 0)
    DispatchQueue.main.sync {
      DispatchQueue.global(qos: .userInteractive).async {
        log.append("First Log")
        first.signal()
      }
      log.append("Second Log")
    }
    first.wait()
    story.tell(log)
    story.check(log.lines.sorted(), is: ["First Log", "Second Log"], "both logs, in either order")

    let steps = Transcript()
    let mainIsDone = DispatchSemaphore(value: 0)
    let blockIsDone = DispatchSemaphore(value: 0)
    DispatchQueue.main.async { steps.append("1 main runs its items in order") }
    DispatchQueue.main.async {
      steps.append("2 viewDidLoad begins")
      DispatchQueue.global(qos: .userInteractive).async {
        // Where the picture shows the block waiting in the queue.
        mainIsDone.wait()
        steps.append("5 the block runs: First Log")
        blockIsDone.signal()
      }
      steps.append("3 the block is added")
      steps.append("4 main goes on: Second Log")
    }
    DispatchQueue.main.sync {}
    mainIsDone.signal()
    blockIsDone.wait()
    steps.append("6 the block is over")
    story.tell(steps)
    story.check(steps.lines.map { $0.prefix(1) }, is: "123456".map { "\($0)" }, "six steps")
  }
}
