// PerformTests — performs on other threads, in order, after a delay, and their cancellation.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

/// A `Thread` that runs its loop in one mode until it is asked to end.
private final class Performer: @unchecked Sendable {
  // SAFETY: any thread may use a `Thread`; the rest is only passed on.
  let thread: Thread
  private let joined: JoinableThread<Void, Never>
  private let keeper = makeSource()
  let loop: CFRunLoop

  init(mode: RunLoop.Mode = .default) throws {
    let found = Guarded<CFRunLoop?>(nil)
    let keeper = keeper
    joined = JoinableThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, keeper, CFRunLoopMode(mode))
      // From within the run: a loop that has not run for a while counts as one that does not run.
      CFRunLoopPerformBlock(loop, CFRunLoopMode(mode)) { found.withValue { $0 = loop } }
      while RunLoop.current.run(mode: mode, before: .distantFuture) {}
    }
    thread = joined.thread
    joined.start()
    _ = found.wait(limit: RealTime.life) { $0 != nil }
    loop = found.current!
  }

  func end() {
    CFRunLoopSourceInvalidate(keeper)
    CFRunLoopWakeUp(loop)
    joined.join()
  }
}

/// Performs and waits. The call gives up, with nothing performed, if the loop is not run for a
/// second, as between two runs of a thread that has lost its processor. If it gives up sooner, that
/// is an error.
private func performAndWait(
  on thread: Thread, modes: [RunLoop.Mode] = [.common], _ block: @escaping @Sendable () -> Void
) throws(PerformError) {
  let limit = Uptime.now() + RealTime.wedge
  while true {
    let begin = Uptime.now()
    do throws(PerformError) {
      return try Thread.perform(on: thread, waitUntilDone: true, modes: modes, block: block)
    } catch {
      let now = Uptime.now()
      guard error == .noRunningLoop, now.since(begin) >= .seconds(1), now < limit else {
        throw error
      }
    }
  }
}

/// A thread object that is passed to another thread.
private final class Shared: @unchecked Sendable {
  // SAFETY: a thread's object may be used from any thread.
  let thread: Thread
  init(_ thread: Thread) { self.thread = thread }
}

@Suite(.guarded) struct PerformTests {
  @Test func blockRunsOnTheThreadBeforeTheWaitEnds() throws {
    let performer = try Performer()
    for _ in 0..<100 {
      let ranOn = Guarded<ObjectIdentifier?>(nil)
      try performAndWait(on: performer.thread) {
        ranOn.withValue { $0 = ObjectIdentifier(Thread.current) }
      }
      #expect(ranOn.current == ObjectIdentifier(performer.thread))
    }
    performer.end()
  }

  @Test func manyThreadsPerformEachInItsOrder() throws {
    let performer = try Performer()
    let log = EventLog<[Int]>()
    let threads = try (0..<4).map { number in
      try PlainThread {
        for step in 0..<500 {
          let mustWait = step % 50 == 0
          if mustWait {
            try performAndWait(on: performer.thread) { log.append([number, step]) }
            #expect(log.all.contains([number, step]))
          } else {
            try Thread.perform(on: performer.thread, waitUntilDone: false) {
              log.append([number, step])
            }
          }
        }
      }
    }
    for thread in threads { try thread.join() }
    try performAndWait(on: performer.thread) {}
    for number in 0..<4 {
      #expect(log.all.filter { $0[0] == number }.map { $0[1] } == Array(0..<500))
    }
    performer.end()
  }

  @Test func onTheThreadItselfWaitingRunsAtOnceAndNotWaitingQueues() throws {
    let performer = try Performer()
    let log = EventLog<String>()
    try performAndWait(on: performer.thread) {
      let own = Thread.current
      try? Thread.perform(on: own, waitUntilDone: false) { log.append("queued") }
      try? Thread.perform(on: own, waitUntilDone: true) { log.append("at once") }
      log.append("outer ends")
    }
    try performAndWait(on: performer.thread) { log.append("behind") }
    #expect(log.all == ["at once", "outer ends", "queued", "behind"])
    performer.end()
  }

  @Test func performsWaitInAnotherModeAndRunInTheirOwn() throws {
    try onPlainThread {
      let thread = Thread.current
      let log = EventLog<String>()
      let own = RunLoop.Mode("own")
      let keepers = ["own", "other"].map { name in
        let keeper = makeSource()
        CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, CFRunLoopMode(name))
        return keeper
      }
      try Thread.perform(on: thread, waitUntilDone: false, modes: [own]) { log.append("perform") }
      try Thread.perform(on: thread, waitUntilDone: false) { log.append("common") }
      RunLoop.current.perform("x", target: keepers[0], modes: [own]) { log.append("in order") }
      RunLoop.current.perform(afterDelay: 0, inModes: [own]) { log.append("delayed") }
      RunLoop.current.run(mode: RunLoop.Mode("other"), before: .distantPast)
      #expect(log.all == [])
      RunLoop.current.run(mode: .default, before: .distantPast)
      #expect(log.all == ["common"])
      #expect(RunLoop.current.run(mode: own, before: .distantPast))
      RunLoop.current.run(mode: own, before: .distantPast)
      #expect(log.all.sorted() == ["common", "delayed", "in order", "perform"])
      for keeper in keepers { CFRunLoopSourceInvalidate(keeper) }
    }
  }

  @Test func performCountsAsInputAndEndsARunThatIsToEndThen() throws {
    try onPlainThread {
      let thread = Thread.current
      let shared = Shared(thread)
      let keeper = makeSource()
      CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, .defaultMode)
      let other = try PlainThread {
        try Thread.perform(on: shared.thread, waitUntilDone: false) {}
      }
      #expect(CFRunLoopRunInMode(.defaultMode, loopLimit, true) == .handledSource)
      try other.join()
      CFRunLoopSourceInvalidate(keeper)
      // The perform keeps the loop running while it waits, and no longer.
      try Thread.perform(on: thread, waitUntilDone: false) {}
      #expect(CFRunLoopRunInMode(.defaultMode, loopLimit, false) == .finished)
    }
  }

  @Test func threadThatHasNoLoopYetPerformsWhenItHas() throws {
    let started = Gate("started")
    let mayRun = Gate("may run")
    let ran = EventCounter("ran")
    let thread = JoinableThread {
      started.open()
      mayRun.pass()
      #expect(CFRunLoopRunInMode(.defaultMode, loopLimit, false) == .finished)
      #expect(ran.value == 1)
    }
    thread.start()
    try started.wait()
    try Thread.perform(on: thread.thread, waitUntilDone: false) { ran.increment() }
    #expect(ran.value == 0)
    mayRun.open()
    thread.join()
    #expect(ran.value == 1)
  }

  @Test func performOnAThreadBeforeItsStartRunsWhenItRuns() throws {
    let ran = EventCounter("ran")
    let thread = JoinableThread { _ = CFRunLoopRunInMode(.defaultMode, loopLimit, false) }
    try Thread.perform(on: thread.thread, waitUntilDone: false) { ran.increment() }
    #expect(throws: PerformError.noRunningLoop) {
      try Thread.perform(on: thread.thread, waitUntilDone: true) { ran.increment() }
    }
    thread.start()
    thread.join()
    #expect(ran.value == 1)
  }

  // MARK: Errors

  @Test func waitingOnAThreadWithoutARunningLoopIsAnError() throws {
    let isOver = Gate("over")
    let thread = JoinableThread { isOver.pass() }
    thread.start()
    let ran = EventCounter("ran")
    #expect(throws: PerformError.noRunningLoop) {
      try Thread.perform(on: thread.thread, waitUntilDone: true) { ran.increment() }
    }
    isOver.open()
    thread.join()
    #expect(ran.value == 0)
  }

  @Test func waitingEndsWithAnErrorWhenTheThreadEnds() throws {
    let hasLeft = EventCounter("left")
    let begun = Gate("begun")
    let mayEnd = Gate("may end")
    let thread = JoinableThread {
      let keeper = makeSource {
        begun.open(); mayEnd.pass()
      }
      CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, CFRunLoopMode("narrow"))
      CFRunLoopSourceSignal(keeper)
      // Performs for the default mode never run here.
      _ = CFRunLoopRunInMode(CFRunLoopMode("narrow"), loopLimit, true)
      CFRunLoopSourceInvalidate(keeper)
    }
    thread.start()
    try begun.wait()
    let waiter = try PlainThread {
      do throws(PerformError) {
        try performAndWait(on: thread.thread, modes: [.default]) {}
      } catch {
        if error == .threadEnded { hasLeft.increment() }
      }
    }
    mayEnd.open()
    thread.join()
    try waiter.join()
    #expect(hasLeft.value == 1)
  }

  @Test func waitingEndsWithAnErrorWhenTheBlockLeavesTheThread() throws {
    let performer = Guarded<CFRunLoop?>(nil)
    let thread = Thread {
      let keeper = makeSource()
      CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, .defaultMode)
      CFRunLoopPerformBlock(CFRunLoopGetCurrent(), .defaultMode) {
        performer.withValue { $0 = CFRunLoopGetCurrent() }
      }
      CFRunLoopRun()
    }
    thread.start()
    _ = performer.wait(limit: RealTime.life) { $0 != nil }
    #expect(throws: PerformError.threadEnded) {
      try Thread.perform(on: thread, waitUntilDone: true) { Thread.exit() }
    }
  }

  @Test func finishedThreadPerformsNothing() throws {
    let ran = EventCounter("ran")
    for usesLoop in [false, true] {
      let thread = JoinableThread { if usesLoop { _ = RunLoop.current } }
      thread.start()
      thread.join()
      for wait in [false, true] {
        #expect(throws: PerformError.threadEnded, "\(usesLoop) \(wait)") {
          try Thread.perform(on: thread.thread, waitUntilDone: wait) { ran.increment() }
        }
      }
    }
    #expect(ran.value == 0)
  }

  @Test func loopBetweenTwoRunsIsWaitedFor() throws {
    let rounds = EventCounter("rounds")
    let found = Guarded<CFRunLoop?>(nil)
    let isOver = Guarded(false)
    let thread = JoinableThread {
      let keeper = makeSource()
      CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, .defaultMode)
      found.withValue { $0 = CFRunLoopGetCurrent() }
      while !isOver.current {
        RunLoop.current.run(mode: .default, before: .distantPast)
        rounds.increment()
      }
      CFRunLoopSourceInvalidate(keeper)
    }
    thread.start()
    _ = found.wait(limit: RealTime.life) { $0 != nil }
    for _ in 0..<200 { try performAndWait(on: thread.thread) {} }
    isOver.withValue { $0 = true }
    thread.join()
    #expect(rounds.value > 0)
  }

  @Test func pendingBlocksAreFreedWithTheThread() throws {
    let watch = WeakWatch()
    let performer = try Performer(mode: RunLoop.Mode("narrow"))
    do {
      let bystander = watch.watch(Bystander())
      try Thread.perform(on: performer.thread, waitUntilDone: false, modes: [.default]) {
        _ = bystander
      }
    }
    #expect(watch.alive == 1)
    performer.end()
    #expect(watch.alive == 0)
  }

  private final class Bystander: Sendable {}

  @Test func backgroundPerformRunsOnItsOwnThread() throws {
    // Made first: an object that is made now may lie where that of an ended thread has lain.
    let own = Thread.current
    let ranOn = Guarded<ObjectIdentifier?>(nil)
    Thread.performInBackground { ranOn.withValue { $0 = ObjectIdentifier(Thread.current) } }
    #expect(ranOn.wait(limit: RealTime.wedge) { $0 != nil })
    #expect(ranOn.current != ObjectIdentifier(own))
  }
}
