import SignalboxRunLoop

extension Listing {
  static let number004_01 = Listing(
    "004-01", heading: "Configuring timer sources",
    shows: "a repeating timer with user info, scheduled on the current loop",
    outcome: "it fires in the default mode, with what it was given, until it is invalidated",
    truth: "a method stands for the selector, and a closure would need neither",
    rows: ["R6"]
  ) { story in
    let printed = Transcript()
    let isValid = onLoopThread { _ in
      let target = Document004.TimerTarget(printed)
      let timer = Timer.scheduledTimer(
        timeInterval: 0.01, target: target, selector: Document004.TimerTarget.timerTask,
        userInfo: "This is a arg", repeats: true)
      while printed.lines.count < 3 {
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.005))
      }
      let before = timer.isValid
      timer.invalidate()
      // The loop has nothing left, and comes back though it has all the time.
      RunLoop.current.run(until: .distantFuture)
      return [before, timer.isValid]
    }
    story.tell(printed)
    story.check(
      Array(printed.lines.prefix(3)), is: Array(repeating: "Fire timer... This is a arg", count: 3),
      "it fires again and again")
    story.check(isValid, is: [true, false], "until it is invalidated: then the loop is empty")
  }
}

extension Document004 {
  final class TimerTarget: Sendable {
    private let printed: Transcript

    init(_ printed: Transcript) { self.printed = printed }

    func timerTask(_ timer: Timer) {
      printed.append("Fire timer... \(timer.userInfo as? String ?? "without an argument")")
    }
  }
}
