import SignalboxDispatch

extension Listing {
  static let number000_15 = Listing(
    "000-15", heading: "Visual review of queueing: async",
    shows: "the same with async",
    outcome:
      "second log, then first log in the picture; not guaranteed; seven steps; main "
      + "continues",
    rows: ["W4", "Q6", "Q4"]
  ) { story in
    // Held back, the block comes second; waited for, it comes first. Without
    // either, both orders are right.
    for (order, expected) in [
      ("held", ["Second Log", "First Log"]), ("awaited", ["First Log", "Second Log"]),
    ] {
      let log = Transcript()
      let secondIsLogged = DispatchSemaphore(value: 0)
      let firstIsLogged = DispatchSemaphore(value: 0)
      DispatchQueue.main.sync {
        DispatchQueue.global(priority: .high).async {
          if order == "held" { secondIsLogged.wait() }
          log.append("First Log")
          firstIsLogged.signal()
        }
        if order == "awaited" { firstIsLogged.wait() }
        log.append("Second Log")
        secondIsLogged.signal()
      }
      if order == "held" { firstIsLogged.wait() }
      story.check(log.lines, is: expected, "with the block \(order): \(expected)")
    }

    let steps = Transcript()
    let queue = DispatchQueue(label: "org.signalbox.listings.000-15")
    let mainIsDone = DispatchSemaphore(value: 0)
    queue.async { mainIsDone.wait() }
    DispatchQueue.main.async { steps.append("1 main runs its items in order") }
    DispatchQueue.main.async {
      steps.append("2 viewDidLoad begins on \(Place.name)")
      steps.append("3 viewDidLoad reaches async")
      queue.async {
        steps.append("6 the block's turn: First Log")
        steps.append("7 the block is over")
      }
      steps.append("4 the block is added")
      steps.append("5 main goes on: Second Log")
      mainIsDone.signal()
    }
    DispatchQueue.main.sync {}
    queue.sync {}
    story.tell(steps)
    story.check(steps.lines.map { $0.prefix(1) }, is: "1234567".map { "\($0)" }, "seven steps")
    story.check(
      steps.lines[1], is: "2 viewDidLoad begins on the main thread", "main is the main thread")
  }
}
