import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_27 = Listing(
    "004-27", heading: "Input sources: perform",
    shows: "perform in the background",
    outcome: "a new thread is made for it",
    truth: "for each one: many short ones are better items of a queue",
    rows: ["T5", "T1"]
  ) { story in
    let threads = Cell<[UInt]>([])
    let onMain = Cell(0)
    let meeting = Rendezvous(of: 2)
    let hasRun = DispatchSemaphore(value: 0)
    for _ in 1...2 {
      Thread.performInBackground {
        threads.withValue { $0.append(Place.thread) }
        if Place.isMainThread { onMain.withValue { $0 += 1 } }
        meeting.arrive()
        hasRun.signal()
      }
    }
    for _ in 1...2 { hasRun.wait() }
    story.check(Set(threads.value).count, is: 2, "two performs run side by side, on two threads")
    story.check(!threads.value.contains(Place.thread), "neither of which is the caller's")
    story.check(onMain.value, is: 0, "or main")
  }
}
