import SignalboxDispatch

extension Listing {
  static let number004_05 = Listing(
    "004-05", heading: "Autorelease pool",
    shows: "Swift's autoreleasepool with a closure argument",
    outcome: "the body runs at once, on the same thread",
    rows: ["Q16", "T5"]
  ) { story in
    let printed = Transcript()
    @Sendable func performInBackground() {
      let caller = Place.thread
      autoreleasepool(invoking: {
        printed.append("I am an event, performed in the background.")
        printed.append(Place.thread == caller ? "on the same thread" : "on another thread")
      })
      printed.append("after the pool")
    }
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global(qos: .background).async {
      performInBackground()
      done.signal()
    }
    done.wait()
    story.tell(printed)
    story.check(
      printed.lines,
      is: [
        "I am an event, performed in the background.", "on the same thread", "after the pool",
      ], "the body has run when the call returns")
  }
}
