import SignalboxRunLoop

extension Listing {
  static let number004_01 = Listing(
    "004-01", heading: "Configuring timer sources",
    shows: "a repeating timer with user info, scheduled on the current loop",
    outcome: "it fires in the default mode, with what it was given, until it is invalidated",
    truth: "a method replaces the selector, and a closure would need neither",
    rows: ["R6"]
  ) { story in
    let printed = Transcript()
    let facts = onLoopThread { loop in
      let target = Document004.TimerTarget(printed)
      let timer = Timer.scheduledTimer(
        timeInterval: 0.01, target: target, selector: Document004.TimerTarget.timerTask,
        userInfo: "This is a arg", repeats: true)
      // Three intervals in another mode.
      let own = CFRunLoopMode("own")
      let keeper = makeCustomSource()
      CFRunLoopAddSource(loop, keeper, own)
      CFRunLoopRunInMode(own, 0.03, false)
      CFRunLoopSourceInvalidate(keeper)
      let firesInOwn = printed.lines.count
      while printed.lines.count < 3 {
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.005))
      }
      let before = timer.isValid
      timer.invalidate()
      // The loop has nothing left, and comes back though it has all the time.
      RunLoop.current.run(until: .distantFuture)
      return (isValid: [before, timer.isValid], firesInOwn: firesInOwn)
    }
    story.tell(printed)
    story.check(
      Array(printed.lines.prefix(3)), is: Array(repeating: "Fire timer... This is a arg", count: 3),
      "it fires again and again")
    story.check(facts.firesInOwn, is: 0, "in the default mode, and in no other")
    story.check(
      facts.isValid, is: [true, false], "until it is invalidated: then the loop is empty")

    // With a closure: no target, no selector and no user info.
    let closed = Transcript()
    onLoopThread { _ in
      let argument = "This is a arg"
      _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { timer in
        closed.append("Fire timer... \(argument)")
        if closed.lines.count == 3 { timer.invalidate() }
      }
      RunLoop.current.run(until: .distantFuture)
    }
    story.check(
      closed.lines, is: Array(repeating: "Fire timer... This is a arg", count: 3),
      "a closure has what it captured")
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
