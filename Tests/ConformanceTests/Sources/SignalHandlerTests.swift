// SignalHandlerTests — signal sources beside the program's own handlers.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

/// The counts of a test's handlers, by signal. Each signal belongs to one test.
// SAFETY: only its test's thread raises a signal.
private nonisolated(unsafe) let calls = UnsafeMutablePointer<Int>.allocate(capacity: 65)
/// The action that a later handler has replaced and calls.
// SAFETY: as above.
private nonisolated(unsafe) let replaced = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

private func plainHandler(_ signal: Int32) { calls[Int(signal)] += 1 }

private func handlerWithInfo(
  _ signal: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _: UnsafeMutableRawPointer?
) {
  if info?.pointee.si_signo == signal { calls[Int(signal)] += 1 }
}

/// Counts, and calls the handler that it replaced.
private func chainingHandler(
  _ signal: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
  calls[Int(signal)] += 1
  if let next = replaced[Int(signal)].__sigaction_handler.sa_sigaction {
    next(signal, info, context)
  }
}

@Suite("Signal sources beside handlers of the program", .guarded)
struct SignalHandlerTests {
  init() {
    // Creates the lazy values here, so that a handler does not have to.
    _ = (calls, replaced)
  }

  private func install(
    _ signal: Int32, flags: Int32 = 0, _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    calls[Int(signal)] = 0
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    action.sa_flags = flags
    sigaction(signal, &action, nil)
  }

  private typealias InfoHandler =
    @convention(c) (
      Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?
    ) -> Void

  private func install(_ signal: Int32, _ handler: @escaping InfoHandler) {
    calls[Int(signal)] = 0
    var action = sigaction()
    action.__sigaction_handler.sa_sigaction = handler
    action.sa_flags = SA_SIGINFO
    sigaction(signal, &action, &replaced[Int(signal)])
  }

  @Test func aHandlerOfEitherFormStillWorks() throws {
    try SpareSignal.with(2) { signals in
      install(signals[0], plainHandler)
      install(signals[1], handlerWithInfo)
      for signal in signals {
        let heard = HeardSignals(signal)
        for _ in 0..<3 { raise(signal) }
        #expect(calls[Int(signal)] == 3)
        try heard.sum.wait(for: 3)
        try heard.cancel()
        raise(signal)
        #expect(calls[Int(signal)] == 4)
        #expect(heard.sum.value == 3)
      }
    }
  }

  @Test func aOneShotHandlerIsCalledOnce() throws {
    try SpareSignal.with { signals in
      install(signals[0], flags: Int32(bitPattern: UInt32(SA_RESETHAND)), plainHandler)
      let heard = HeardSignals(signals[0])
      for _ in 0..<3 { raise(signals[0]) }
      #expect(calls[Int(signals[0])] == 1)
      try heard.sum.wait(for: 3)
      try heard.cancel()
      #expect(SpareSignal.disposition(of: signals[0]) == .usual)
    }
  }

  @Test func theLastSourceRestoresTheHandler() throws {
    try SpareSignal.with(2) { signals in
      signal(signals[0], SIG_IGN)
      for (number, before) in zip(signals, [SpareSignal.Disposition.ignored, .usual]) {
        let first = HeardSignals(number), second = HeardSignals(number)
        #expect(SpareSignal.disposition(of: number) == .handled)
        try first.cancel()
        #expect(SpareSignal.disposition(of: number) == .handled)
        raise(number)
        try second.sum.wait(for: 1)
        try second.cancel()
        #expect(SpareSignal.disposition(of: number) == before)
      }
    }
  }

  @Test func aReleasedSourceRestoresTheHandler() throws {
    try SpareSignal.with { signals in
      do {
        let heard = HeardSignals(signals[0])
        raise(signals[0])
        try heard.sum.wait(for: 1)
      }
      let end = Uptime.now() + RealTime.wedge
      while SpareSignal.disposition(of: signals[0]) != .usual && Uptime.now() < end {
        sched_yield()
      }
      #expect(SpareSignal.disposition(of: signals[0]) == .usual)
    }
  }

  @Test func errnoIsKept() throws {
    try SpareSignal.with { signals in
      install(signals[0]) { _ in errno = EXDEV }
      let heard = HeardSignals(signals[0])
      errno = EDOM
      raise(signals[0])
      #expect(errno == EDOM)
      try heard.sum.wait(for: 1)
      try heard.cancel()
    }
  }

  /// The program's handler decides whether an interrupted call is restarted.
  @Test func aCallIsInterruptedAsItWasBefore() throws {
    try SpareSignal.with(2) { signals in
      install(signals[0], plainHandler)
      install(signals[1], flags: SA_RESTART, plainHandler)
      for (signal, restarts) in zip(signals, [Int32(0), SA_RESTART]) {
        let heard = HeardSignals(signal)
        #expect(SpareSignal.action(of: signal).sa_flags & SA_RESTART == restarts)
        try heard.cancel()
      }
    }
  }

  // MARK: Later handlers

  /// As with any two parties that set a handler, the later one has the signal.
  @Test func aLaterHandlerTakesTheSignalUntilTheNextSource() throws {
    try SpareSignal.with { signals in
      let early = HeardSignals(signals[0])
      install(signals[0], plainHandler)
      raise(signals[0])
      #expect(calls[Int(signals[0])] == 1)
      let late = HeardSignals(signals[0])
      raise(signals[0])
      #expect(calls[Int(signals[0])] == 2)
      try late.sum.wait(for: 1)
      try early.sum.wait(for: 1)
      #expect(early.sum.value == 1)
      try early.cancel()
      try late.cancel()
      // The program has the signal again.
      raise(signals[0])
      #expect(calls[Int(signals[0])] == 3)
    }
  }

  /// A later handler calls ours, and ours is installed over it once more: each is called once.
  @Test func handlersThatCallEachOtherEndWithTheFirst() throws {
    try SpareSignal.with { signals in
      let signal = signals[0]
      let early = HeardSignals(signal)
      install(signal, chainingHandler)
      raise(signal)
      #expect(calls[Int(signal)] == 1)
      try early.sum.wait(for: 1)
      let late = HeardSignals(signal)
      raise(signal)
      #expect(calls[Int(signal)] == 2)
      try early.sum.wait(for: 2)
      try late.sum.wait(for: 1)
      try early.cancel()
      try late.cancel()
      raise(signal)
      #expect(calls[Int(signal)] == 3)
      #expect(early.sum.value == 2)
      #expect(late.sum.value == 1)
    }
  }

  @Test func aHandlerThatIsRemovedAgainLeavesTheSource() throws {
    try SpareSignal.with { signals in
      let heard = HeardSignals(signals[0])
      install(signals[0], handlerWithInfo)
      raise(signals[0])
      sigaction(signals[0], &replaced[Int(signals[0])], nil)
      raise(signals[0])
      try heard.sum.wait(for: 1)
      #expect(heard.sum.value == 1)
      try heard.cancel()
      #expect(SpareSignal.disposition(of: signals[0]) == .usual)
    }
  }
}
