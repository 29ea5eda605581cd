import SignalboxDispatch

extension Listing {
  static let number001_10 = Listing(
    "001-10", heading: "Visual review of queueing: sync",
    shows: "one log inside sync to the user-interactive queue, one after it",
    outcome: "first log, then second log; the picture's six steps; main waits",
    truth: "a global queue makes no call wait: the item runs on the caller at once",
    rows: ["W4", "Q6", "Q4"]
  ) { story in
    let log = Transcript()
    let place = Cell("")
    DispatchQueue.main.sync {
      DispatchQueue.global(qos: .userInteractive).sync {
        log.append("First Log")
        place.value = Place.name
      }
      log.append("Second Log")
    }
    story.check(log.lines, is: ["First Log", "Second Log"], "first log, then second log")
    story.check(place.value, is: "the main thread", "the item ran on its caller")

    // The picture, in which the block waits its turn: on an own serial queue.
    let queue = DispatchQueue(label: "org.signalbox.listings.001-10", qos: .userInteractive)
    let steps = Transcript()
    let mainIsAtSync = DispatchSemaphore(value: 0)
    queue.async {
      mainIsAtSync.wait()
      steps.append("  the queue first handles what was there before")
    }
    DispatchQueue.main.async { steps.append("1 main runs its items in order") }
    DispatchQueue.main.async {
      steps.append("2 viewDidLoad begins")
      steps.append("3 the block is added, main waits")
      mainIsAtSync.signal()
      queue.sync {
        steps.append("4 the block's turn: First Log")
      }
      steps.append("5 the block is over, main goes on: Second Log")
    }
    DispatchQueue.main.sync { steps.append("6 viewDidLoad is over, main handles its next item") }
    story.tell(steps)
    story.check(
      steps.lines.map { $0.prefix(1) }, is: ["1", "2", "3", " ", "4", "5", "6"], "six steps")
  }
}
