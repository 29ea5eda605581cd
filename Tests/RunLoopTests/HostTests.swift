// HostTests — a loop hosted by a poll(2) loop: when it is readable, and how long the host waits.

import Glibc
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct HostTests {
  /// Polls for the guest's events, and drains the guest.
  private final class PollLoop {
    let guest: RunLoopHost
    private(set) var wakeUps = 0

    init(_ guest: RunLoopHost) { self.guest = guest }

    var isReadable: Bool { wait(0) }

    func wait(_ milliseconds: Int32) -> Bool {
      var polled = pollfd(fd: guest.fileDescriptor, events: Int16(POLLIN), revents: 0)
      return poll(&polled, 1, milliseconds) > 0
    }

    /// Runs until the condition holds.
    func run(until condition: () -> Bool) throws {
      let end = Uptime.now() + RealTime.wedge
      while !condition() {
        guard Uptime.now() < end else { throw Wedge.found("the guest does nothing") }
        let most = Int32(clamping: RealTime.wedge.wholeNanoseconds / 1_000_000)
        let limit = guest.milliseconds
        // A drain without a request would hide a lost wake-up.
        guard wait(limit < 0 ? most : limit) || limit >= 0 else {
          throw Wedge.found("the guest was not woken")
        }
        wakeUps += 1
        guest.drain()
      }
    }
  }

  @Test func idleGuestIsNotReadableAndWaitsForever() throws {
    try onPlainThread {
      let host = PollLoop(RunLoopHost())
      #expect(host.guest.timeout == .never)
      #expect(host.guest.milliseconds == -1)
      #expect(!host.isReadable)
      host.guest.drain()
      #expect(!host.isReadable)
      #expect(RunLoop.current.currentMode == .default)
      host.guest.end()
      host.guest.end()
      #expect(RunLoop.current.currentMode == nil)
    }
  }

  @Test func workFromOtherThreadsMakesItReadableOnce() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let log = EventLog<String>()
      let source = makeSource { log.append("source") }
      CFRunLoopAddSource(loop, source, .defaultMode)
      let host = PollLoop(RunLoopHost())
      let other = try PlainThread {
        RunLoop.of(loop).perform { log.append("block") }
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
      }
      try other.join()
      #expect(host.isReadable)
      #expect(log.all == [])
      try host.run { log.count == 2 }
      #expect(host.wakeUps == 1)
      #expect(log.all == ["block", "source"])
      #expect(!host.isReadable)
      CFRunLoopSourceInvalidate(source)
    }
  }

  @Test func workAddedByAPassIsDoneInTheNext() throws {
    try onPlainThread {
      let host = PollLoop(RunLoopHost())
      let log = EventLog<Int>()
      RunLoop.current.perform {
        log.append(1)
        RunLoop.current.perform(inModes: [.eventTracking]) { log.append(3) }
        Thread.current.performLater { log.append(2) }
      }
      try host.run { log.count == 2 }
      #expect(log.all == [1, 2])
      // Runs in another mode within the host.
      RunLoop.current.run(mode: .eventTracking, before: .distantPast)
      #expect(log.all == [1, 2, 3])
      try host.run { !host.isReadable }
    }
  }

  @Test func timeoutIsThatOfTheNextDelay() throws {
    try onPlainThread {
      let host = PollLoop(RunLoopHost())
      let log = EventLog<String>()
      RunLoop.current.perform(afterDelay: 3600) { log.append("never") }
      #expect(host.guest.milliseconds > 3_000_000 && host.guest.milliseconds <= 3_600_000)
      let begin = Uptime.now()
      RunLoop.current.perform(afterDelay: 0.02) { log.append("soon") }
      #expect(host.guest.milliseconds <= 20)
      try host.run { log.count == 1 }
      #expect(Uptime.now() >= begin + .milliseconds(20))
      #expect(log.all == ["soon"])
      #expect(!host.isReadable)
    }
  }

  @Test func otherThreadsWaitForTheGuest() throws {
    try onPlainThread {
      let host = PollLoop(RunLoopHost())
      let shared = SharedThread(Thread.current)
      let done = EventCounter("done")
      let others = try (0..<4).map { _ in
        try PlainThread {
          for _ in 0..<100 {
            try Thread.perform(on: shared.thread, waitUntilDone: true) { done.increment() }
          }
        }
      }
      try host.run { done.value == 400 }
      for other in others { try other.join() }
    }
  }

  @Test func guestIsWokenEvenAfterARunOfTheProgram() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let host = PollLoop(RunLoopHost())
      let keeper = makeSource()
      CFRunLoopAddSource(loop, keeper, CFRunLoopMode("other"))
      CFRunLoopRunInMode(CFRunLoopMode("other"), 0.001, false)
      let done = EventCounter("done")
      #expect(host.guest.milliseconds == -1)
      // Events in between may have been meant for the guest, which checks once.
      #expect(host.isReadable)
      host.guest.drain()
      #expect(!host.isReadable)
      let other = try PlainThread { RunLoop.of(loop).perform { done.increment() } }
      try other.join()
      #expect(host.isReadable)
      try host.run { done.value == 1 }
      CFRunLoopSourceInvalidate(keeper)
    }
  }

  @Test func guestIsWokenEvenAfterARunThatDidNotSleep() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let host = PollLoop(RunLoopHost())
      let keeper = makeSource()
      CFRunLoopAddSource(loop, keeper, CFRunLoopMode("other"))
      for _ in 0..<2 {
        CFRunLoopRunInMode(CFRunLoopMode("other"), 0, false)
        host.guest.drain()
        #expect(!host.isReadable)
        let other = try PlainThread { CFRunLoopWakeUp(loop) }
        try other.join()
        #expect(host.isReadable)
        host.guest.drain()
      }
      CFRunLoopSourceInvalidate(keeper)
    }
  }

  /// A pass handles one message for each port, and only the first message has woken the loop.
  @Test func guestIsReadableAsLongAsMessagesAreLeft() throws {
    final class Recorder: PortDelegate {
      var numbers: [Int] = []
      func handle(_ message: PortMessage) { numbers.append(Int(message.msgid)) }
    }
    try onPlainThread {
      let (port, recorder) = (Port(), Recorder())
      port.setDelegate(recorder)
      RunLoop.current.add(port, forMode: .default)
      let host = PollLoop(RunLoopHost())
      for number in 0..<5 {
        _ = port.send(
          before: .distantPast, msgid: number, components: nil, from: nil, reserved: 0)
      }
      try host.run { recorder.numbers.count == 5 }
      #expect(recorder.numbers == [0, 1, 2, 3, 4])
      #expect(!host.isReadable)
      port.invalidate()
    }
  }

  @Test func stopIsReportedToTheHost() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let host = PollLoop(RunLoopHost())
      let other = try PlainThread { CFRunLoopStop(loop) }
      try host.run { host.guest.isStopped }
      try other.join()
      #expect(!host.isReadable)
    }
  }

  /// It was meant for no run, as a stop between two runs of a loop.
  @Test func stopBeforeTheHostingIsNotReportedToTheHost() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopStop(loop)
      let host = PollLoop(RunLoopHost())
      host.guest.drain()
      #expect(!host.guest.isStopped)
      #expect(!host.isReadable)
      // A later one is.
      CFRunLoopStop(loop)
      try host.run { host.guest.isStopped }
      host.guest.end()
    }
  }

  @Test func stopOfARunIsKeptForItByAHostWithinIt() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let keeper = makeSource()
      CFRunLoopAddSource(loop, keeper, .defaultMode)
      let hostWasStopped = EventLog<Bool>()
      RunLoop.current.perform {
        CFRunLoopStop(loop)
        let guest = RunLoopHost()
        guest.drain()
        hostWasStopped.append(guest.isStopped)
        guest.end()
      }
      #expect(CFRunLoopRunInMode(.defaultMode, loopLimit, false) == .stopped)
      #expect(hostWasStopped.all == [false])
      CFRunLoopSourceInvalidate(keeper)
    }
  }

  /// What waits in the guest's mode after a run in another mode.
  private enum Leftover: CaseIterable { case block, perform, call, signal }

  @Test func workLeftByAnotherRunMakesANewGuestReadable() throws {
    try withEvery("leftover", in: Leftover.allCases) { leftover in
      try onPlainThread {
        let loop = CFRunLoopGetCurrent()!
        let log = EventLog<Leftover>()
        let source = makeSource { log.append(.signal) }
        CFRunLoopAddSource(loop, source, .defaultMode)
        let keeper = makeSource()
        CFRunLoopAddSource(loop, keeper, CFRunLoopMode("other"))
        switch leftover {
        case .block: RunLoop.current.perform { log.append(.block) }
        case .perform:
          RunLoop.current.perform("later", target: log, modes: [.default]) { log.append(.perform) }
        case .call: Thread.current.performLater { log.append(.call) }
        case .signal: CFRunLoopSourceSignal(source)
        }
        CFRunLoopRunInMode(CFRunLoopMode("other"), 0, false)
        #expect(log.all == [])
        let host = PollLoop(RunLoopHost())
        #expect(host.isReadable)
        try host.run { log.count == 1 }
        #expect(log.all == [leftover])
        #expect(host.wakeUps == 1)
        #expect(!host.isReadable)
        host.guest.end()
        CFRunLoopSourceInvalidate(source)
        CFRunLoopSourceInvalidate(keeper)
      }
    }
  }

  /// The pass that runs both blocks has already taken their announcement.
  @Test func aBlockCanHostTheLoopUntilTheNextBlockHasRun() throws {
    try onPlainThread {
      let log = EventLog<String>()
      RunLoop.current.perform {
        let host = PollLoop(RunLoopHost())
        log.append(host.isReadable ? "readable" : "not readable")
        try? host.run { log.all.contains("second") }
        host.guest.end()
        log.append("first ends")
      }
      RunLoop.current.perform { log.append("second") }
      RunLoop.current.run(mode: .default, before: .distantPast)
      #expect(log.all == ["readable", "second", "first ends"])
    }
  }

  @Test func observersSeeARunThatSleepsBetweenTheDrains() throws {
    try onPlainThread {
      let log = EventLog<CFRunLoopActivity>()
      let observer = makeObserver(of: .allActivities) { log.append($0) }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, .defaultMode)
      let guest = RunLoopHost()
      guest.drain()
      guest.end()
      #expect(
        log.all == [
          .entry, .beforeWaiting, .afterWaiting, .beforeTimers, .beforeSources, .beforeWaiting,
          .exit,
        ])
      CFRunLoopObserverInvalidate(observer)
    }
  }
}

/// A thread object that is passed to another thread.
private final class SharedThread: @unchecked Sendable {
  // SAFETY: any thread may use a thread's object.
  let thread: Thread
  init(_ thread: Thread) { self.thread = thread }
}

extension Thread {
  /// Call it on the thread itself.
  fileprivate func performLater(_ block: @escaping @Sendable () -> Void) {
    try! Thread.perform(on: self, waitUntilDone: false, block: block)
  }
}
