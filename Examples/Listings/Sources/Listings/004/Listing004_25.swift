import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_25 = Listing(
    "004-25", heading: "Input sources: perform",
    shows: "perform after a delay, in modes",
    outcome: "the delay postpones the sending; even with no delay it is queued, not run at once",
    rows: ["T5", "R2"]
  ) { story in
    let order = Transcript()
    let waited = onLoopThread { _ -> UInt64 in
      let start = DispatchTime.now().uptimeNanoseconds
      let delayed = Cell<UInt64>(0)
      RunLoop.current.perform(afterDelay: 0) { order.append("without a delay") }
      RunLoop.current.perform(afterDelay: 0) { order.append("another") }
      RunLoop.current.perform(afterDelay: 0.02) {
        delayed.value = DispatchTime.now().uptimeNanoseconds - start
        order.append("delayed")
      }
      order.append("asked")
      // Ends when nothing is left to be performed.
      CFRunLoopRunInMode(.defaultMode, 1e10, false)
      return delayed.value
    }
    story.tell(order)
    story.tell("performed after \(waited / 1_000_000) ms")
    story.check(
      order.lines, is: ["asked", "without a delay", "another", "delayed"],
      "those without a delay wait for the loop, too, and come in their order")
    story.check(waited >= 20_000_000, "the delayed one comes when its delay is over")

    let modes = Transcript()
    onLoopThread { _ in
      let modal = RunLoop.Mode("modal")
      RunLoop.current.perform(afterDelay: 0, inModes: [modal]) { modes.append("modal") }
      RunLoop.current.perform(afterDelay: 0, inModes: [modal, .default]) { modes.append("both") }
      CFRunLoopRunInMode(.defaultMode, 1e10, false)
      modes.append("the default mode is done")
      CFRunLoopRunInMode(CFRunLoopMode(modal), 1e10, false)
    }
    story.check(
      modes.lines, is: ["both", "the default mode is done", "modal"],
      "each is performed once, in the first of its modes that runs")
  }
}
