import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_07 = Listing(
    "004-07", heading: "Configuring timer sources",
    shows:
      "a Thread subclass adds a timer made elsewhere to its loop, in the common modes, and runs "
      + "it for a time",
    outcome: "the timer fires on that thread, first at its date, then at its interval",
    truth: "the process lives as long as somebody waits for the thread: a sleep only hopes to",
    rows: ["R6", "R2", "R9", "T1"]
  ) { story in
    let fired = Cell<[UInt]>([])
    let start = Date()
    let myTimer = Timer(
      fire: Date(timeIntervalSinceNow: 0.03), interval: 0.01, repeats: true
    ) { _ in fired.withValue { $0.append(Place.thread) } }
    let customThread = Document004.TimerThread(myTimer)
    customThread.start()
    customThread.hasRun.wait()
    let threads = fired.value
    story.tell("fired \(threads.count) times within \(Date().timeIntervalSince(start)) s")
    story.check(threads.count >= 2, "it fires again and again")
    story.check(
      Set(threads) == [customThread.number.value], "on the thread whose loop it was added to")
    story.check(
      Date().timeIntervalSince(start) >= 0.1, "and the thread runs its loop for its whole time")
    myTimer.invalidate()
  }
}

extension Document004 {
  final class TimerThread: Thread {
    private let myTimer: Timer
    let number = Cell<UInt>(0)
    let hasRun = DispatchSemaphore(value: 0)

    init(_ myTimer: Timer) {
      self.myTimer = myTimer
      super.init()
    }

    override func main() {
      let runloop = RunLoop.current
      number.value = Place.thread
      runloop.add(myTimer, forMode: .common)
      runloop.run(until: Date(timeIntervalSinceNow: 0.1))
      hasRun.signal()
    }
  }
}
