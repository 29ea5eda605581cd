import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_07 = Listing(
    "004-07", heading: "Configuring timer sources",
    shows:
      "a Thread subclass adds a timer made elsewhere to its loop, in the common modes, and runs "
      + "it for a time",
    outcome: "the timer fires on that thread, first at its date, then at its interval",
    truth:
      "the process lives as long as another thread waits for the thread: a sleep only hopes"
      + " to be long enough",
    rows: ["R6", "R2", "R9", "T1"],
    fault: {
      // Nobody waits for the thread: the process ends before its timer fires.
      let timer = Timer(fire: Date(timeIntervalSinceNow: 60), interval: 60, repeats: true) { _ in
        print("fired")
      }
      Document004.TimerThread(timer, runsFor: 120).start()
    }
  ) { story in
    let fired = Cell<[UInt]>([])
    let dates = Cell<[Date]>([])
    let start = Date()
    let myTimer = Timer(
      fire: start.addingTimeInterval(0.03), interval: 0.01, repeats: true
    ) { _ in
      fired.withValue { $0.append(Place.thread) }
      dates.withValue { $0.append(Date()) }
    }
    let customThread = Document004.TimerThread(myTimer) { fired.value.count >= 2 }
    customThread.start()
    customThread.hasRun.wait()
    let threads = fired.value
    story.tell("fired \(threads.count) times within \(Date().timeIntervalSince(start)) s")
    story.check(threads.count >= 2, "it fires again and again")
    story.check(
      Set(threads) == [customThread.number.value], "on the thread whose loop it was added to")
    story.check(
      Date().timeIntervalSince(start) >= 0.1, "and the thread runs its loop for its whole time")
    // Late it may be, where others have the processor, but never early: each time has its place on
    // the grid of first date and interval.
    story.check(
      zip(dates.value, 0...).allSatisfy { date, number in
        date.timeIntervalSince(start) >= 0.03 + 0.01 * Double(number)
      }, "first at its date, then at its interval")
    myTimer.invalidate()

    let report = try story.runFault()
    story.check(report.output, is: [], "nobody waits: the process ends, and the timer never fires")
  }
}

extension Document004 {
  final class TimerThread: Thread {
    private let myTimer: Timer
    private let time: TimeInterval
    private let isEnough: @Sendable () -> Bool
    let number = Cell<UInt>(0)
    let hasRun = DispatchSemaphore(value: 0)

    init(
      _ myTimer: Timer, runsFor time: TimeInterval = 0.1,
      until isEnough: @escaping @Sendable () -> Bool = { true }
    ) {
      self.myTimer = myTimer
      self.time = time
      self.isEnough = isEnough
      super.init()
    }

    override func main() {
      let runloop = RunLoop.current
      number.value = Place.thread
      runloop.add(myTimer, forMode: .common)
      // Once is enough, but where others have the processor for all that time.
      repeat { runloop.run(until: Date(timeIntervalSinceNow: time)) } while !isEnough()
      hasRun.signal()
    }
  }
}
