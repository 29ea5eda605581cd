import SignalboxDispatch

extension Listing {
  static let number000_14 = Listing(
    "000-14", heading: "Visual review of queueing: sync",
    shows: "one log inside sync to a global queue, one after it, from the main thread",
    outcome: "always the first log, then the second; the picture's eight steps; main waits",
    truth: "a global queue makes no call wait: the item runs on the caller at once",
    rows: ["W4", "Q6", "Q4"]
  ) { story in
    var runs = 0
    for _ in 0..<100 {
      let log = Transcript()
      let thread = Cell<UInt>(0)
      let caller = DispatchQueue.main.sync {
        DispatchQueue.global(priority: .high).sync {
          log.append("First Log")
          thread.value = Place.thread
        }
        log.append("Second Log")
        return Place.thread
      }
      if log.lines == ["First Log", "Second Log"], thread.value == caller { runs += 1 }
    }
    story.check(runs, is: 100, "a hundred times: first log on the caller, then second log")

    // The picture, in which the block waits its turn: on an own serial queue.
    let queue = DispatchQueue(label: "org.signalbox.listings.000-14")
    let steps = Transcript()
    let mainIsAtSync = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    queue.async {
      mainIsAtSync.wait()
      steps.append("5 the queue handles what was there before")
    }
    DispatchQueue.main.async { steps.append("1 main runs its items in order") }
    DispatchQueue.main.async {
      steps.append("2 viewDidLoad begins on \(Place.name)")
      steps.append("3 viewDidLoad reaches sync")
      steps.append("4 the block is added, main waits")
      mainIsAtSync.signal()
      queue.sync { steps.append("6 the block's turn: First Log") }
      steps.append("7 main goes on: Second Log")
    }
    DispatchQueue.main.async {
      steps.append("8 viewDidLoad is over, main handles its next item")
      done.signal()
    }
    done.wait()
    story.tell(steps)
    story.check(steps.lines.map { $0.prefix(1) }, is: "12345678".map { "\($0)" }, "eight steps")
    story.check(
      steps.lines[1], is: "2 viewDidLoad begins on the main thread", "main is the main thread")
  }
}
