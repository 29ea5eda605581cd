// Misuse of sources: out of balance, released too early, scheduled or made with what
// cannot be. D26 for timers.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("sources that are misused say which, and what to do")
struct SourceMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Balance

    Misuse(
      "an active source is resumed", says: "resume()", "timer source",
      "org.signalbox.crash.resumed", "suspend()"
    ) {
      let timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "org.signalbox.crash.resumed"))
      timer.resume()
      timer.resume()
    }
    Misuse("a source is resumed more often than it was suspended", says: "resume()", "suspend()") {
      let source = DispatchSource.makeUserDataAddSource(
        queue: DispatchQueue(label: "org.signalbox.crash.resumed"))
      source.activate()
      source.suspend()
      source.suspend()
      for _ in 0..<3 { source.resume() }
    }
    Misuse(
      "a timer that was never resumed is released", says: "timer source",
      "org.signalbox.crash.inactive", "released while inactive", "activate()"
    ) {
      let timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "org.signalbox.crash.inactive"))
      timer.schedule(deadline: .now())
    }
    Misuse(
      "a suspended timer is released", says: "timer source", "org.signalbox.crash.suspended",
      "released while suspended", "resume()"
    ) {
      let timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "org.signalbox.crash.suspended"))
      timer.schedule(deadline: .now(), repeating: .milliseconds(1))
      timer.resume()
      timer.suspend()
    }
    Misuse(
      "a suspended read source that was cancelled is released", says: "read source",
      "released while suspended", "resume()"
    ) {
      let ends = try Ends()
      do {
        let source = DispatchSource.makeReadSource(
          fileDescriptor: ends.input, queue: DispatchQueue(label: "org.signalbox.crash.both"))
        source.activate()
        source.suspend()
        source.cancel()
      }
    }

    // MARK: What cannot be

    Misuse("a read source gets a negative descriptor", says: "makeReadSource", "-1", "descriptor") {
      DispatchSource.makeReadSource(fileDescriptor: -1).activate()
    }
    Misuse(
      "a write source gets a negative descriptor", says: "makeWriteSource", "\(Int32.min)",
      "descriptor"
    ) {
      DispatchSource.makeWriteSource(fileDescriptor: .min).activate()
    }
    Misuse("a timer gets a negative interval", says: "interval", "-5", "negative") {
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now(), repeating: .milliseconds(-5))
    }
    Misuse("a timer gets a negative interval in seconds", says: "interval", "-0.5", "negative") {
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(wallDeadline: .now(), repeating: -0.5)
    }
    Misuse("a timer gets an interval of NaN", says: "interval", "nan") {
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now(), repeating: Double.nan)
    }
    Misuse("a timer gets a negative leeway", says: "leeway", "-1", "negative") {
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now(), leeway: .seconds(-1))
    }
  }

  // MARK: What is merely said

  /// The registration is refused: this is reported on standard error; the source ends as
  /// if cancelled.
  @Test func aClosedDescriptorEndsItsSource() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let ends = try Ends()
      // A number that no other file gets in the meantime.
      let descriptor = fcntl(ends.input, F_DUPFD, 200)
      close(descriptor)
      try expectRefused(
        DispatchSource.makeReadSource(fileDescriptor: descriptor), "a closed descriptor")
      try expectRefused(
        DispatchSource.makeWriteSource(fileDescriptor: descriptor), "a closed descriptor")
    }
    expectSaid(result?.standardErrorContent, "read source", "write source", "errno 9", "cancelled")
  }

  /// Closed while the source watches: nothing is reported by mistake, and the cancel
  /// handler still runs.
  @Test func aDescriptorClosedUnderItsSourceHarmsNoOtherSource() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.closed")
      let wrong = EventCounter("events of a closed descriptor")
      let first = try Ends()
      // A number that no other file gets in the meantime.
      let number = fcntl(first.input, F_DUPFD, 200)
      let source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
      source.setEventHandler { wrong.increment() }
      // By itself or by us, once.
      let ended = EventCounter("cancel handlers")
      source.setCancelHandler { ended.increment() }
      source.activate()
      first.closeInput()
      close(number)
      // The same number, another pipe.
      let second = try Ends()
      guard dup2(second.input, number) == number else { exit(EXIT_FAILURE) }
      let told = EventCounter("events")
      let heir = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
      heir.setEventHandler {
        _ = second.take()
        told.increment()
      }
      heir.activate()
      for round in 1...10 {
        second.put()
        try told.wait(for: round)
      }
      guard wrong.value == 0 else { exit(EXIT_FAILURE) }
      source.cancel()
      heir.setCancelHandler { ended.increment() }
      heir.cancel()
      try ended.wait(for: 2)
    }
  }
}

/// Expects that a source's registration fails: it is cancelled by itself.
private func expectRefused(_ source: any DispatchSourceProtocol, _ what: String) throws {
  let ended = EventCounter("cancel handlers of \(what)")
  let events = EventCounter("events")
  source.setEventHandler { events.increment() }
  source.setCancelHandler { ended.increment() }
  source.activate()
  try ended.wait(for: 1)
  guard source.isCancelled, events.value == 0 else { exit(EXIT_FAILURE) }
}

private func expectSaid(
  _ output: [UInt8]?, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
  let text = String(decoding: output ?? [], as: UTF8.self)
  for word in words where !text.contains(word) {
    Issue.record("“\(word)” is not in: \(text)", sourceLocation: sourceLocation)
  }
}
