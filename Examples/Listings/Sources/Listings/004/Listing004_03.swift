import SignalboxDispatch
import SignalboxThreads

extension Listing {
  static let number004_03 = Listing(
    "004-03", heading: "Autorelease pool",
    shows: "the same with the block syntax",
    outcome: "the objects of the block are gone when the block ends",
    truth: "the block is a closure given to autoreleasepool(invoking:), as in 004-05",
    rows: ["Q16", "T1"]
  ) { story in
    let order = Transcript()
    let thread = JoinableThread(joining: Document004.RoutineThread(order))
    thread.start()
    thread.join()

    story.tell(order)
    story.check(
      order.lines,
      is: ["the work is done", "the block's object is released", "the routine ends"],
      "the block's object does not outlive the block")
  }
}

extension Document004 {
  /// A thread with a main routine of its own.
  final class RoutineThread: Thread {
    private let order: Transcript

    init(_ order: Transcript) {
      self.order = order
      super.init()
    }

    override func main() {
      autoreleasepool {
        let object = Temporary("the block's object", order)
        withExtendedLifetime(object) { order.append("the work is done") }
      }
      order.append("the routine ends")
    }
  }
}
