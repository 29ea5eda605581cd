// DescriptorSourceTests — input sources of version 1: what they watch, when they are performed, and
// what they leave alone.

import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

@Suite("input sources with a descriptor")
struct DescriptorSourceTests {
  private let loop = CFRunLoop.current
  private let mode = CFRunLoopMode("descriptors \(UInt64.random(in: 0 ... .max))")

  /// Makes a source for a descriptor in the mode.
  private func source(
    _ descriptor: Int32, order: CFIndex = 0, in mode: CFRunLoopMode? = nil,
    _ perform: @escaping () -> Void
  ) -> CFRunLoopSource {
    let source = CFRunLoopSource.watching(descriptor, order: order, perform)
    CFRunLoopAddSource(loop, source, mode ?? self.mode)
    return source
  }

  private func pass() -> CFRunLoopRunResult { CFRunLoopRunInMode(mode, 0, false) }

  private func waitForSource() -> CFRunLoopRunResult {
    CFRunLoopRunInMode(mode, loopLimit, true)
  }

  @Test func aWriteWakesTheLoopAndItsBytesAreLeftAlone() throws {
    let pipe = try Ends()
    let log = EventLog<String>()
    let source = source(pipe.input) { log.append("\(pipe.take(atMost: 1).first ?? 0)") }
    let loop = CFRunLoop.current
    let thread = try PlainThread {
      try waitUntilAsleep(loop)
      pipe.put([42])
    }
    #expect(waitForSource() == .handledSource)
    try thread.join()
    #expect(log.all == ["42"])
    #expect(pass() == .timedOut)
    #expect(log.count == 1)
    CFRunLoopSourceInvalidate(source)
    #expect(pass() == .finished)
  }

  @Test func unreadDescriptorIsPerformedAgain() throws {
    let pipe = try Ends()
    let log = EventLog<Int>()
    let source = source(pipe.input) { log.append(1) }
    pipe.put([7])
    for round in 1...3 {
      #expect(pass() == .timedOut)
      #expect(log.count == round)
    }
    _ = pipe.take(atMost: 1)
    #expect(pass() == .timedOut)
    #expect(log.count == 3)
    CFRunLoopSourceInvalidate(source)
  }

  @Test func itWaitsInAnotherModeAndRunsInItsOwn() throws {
    let (pipe, other) = (try Ends(), try Ends())
    let log = EventLog<String>()
    let otherMode = CFRunLoopMode(mode.rawValue + " other")
    let mine = source(pipe.input) { log.append("mine \(pipe.take(atMost: 1).first ?? 0)") }
    let foreign = source(other.input, in: otherMode) {
      log.append("other \(other.take(atMost: 1).first ?? 0)")
    }
    pipe.put([1])
    other.put([2])
    #expect(CFRunLoopRunInMode(otherMode, 0, true) == .handledSource)
    #expect(log.all == ["other 2"])
    #expect(loop.watched.entries.keys.sorted() == [other.input])
    #expect(CFRunLoopRunInMode(otherMode, 0, true) == .timedOut)
    #expect(CFRunLoopRunInMode(mode, 0, true) == .handledSource)
    #expect(loop.watched.entries.keys.sorted() == [pipe.input])
    #expect(log.all == ["other 2", "mine 1"])
    for source in [mine, foreign] { CFRunLoopSourceInvalidate(source) }
    #expect(loop.watched.entries.isEmpty)
  }

  @Test func lowerOrdersComeFirst() throws {
    let pipes = try (0..<4).map { _ in try Ends() }
    let log = EventLog<Int>()
    let orders = [3, -5, 0, 9]
    let sources = zip(pipes, orders).map { pipe, order in
      source(pipe.input, order: order) {
        _ = pipe.take(atMost: 1)
        log.append(order)
      }
    }
    for pipe in pipes { pipe.put([7]) }
    #expect(pass() == .timedOut)
    #expect(log.all == orders.sorted())
    for pipe in pipes { pipe.put([7]) }
    for count in 5...8 {
      #expect(CFRunLoopRunInMode(mode, 0, true) == .handledSource)
      #expect(log.count == count)
    }
    #expect(log.all == orders.sorted() + orders.sorted())
    for source in sources { CFRunLoopSourceInvalidate(source) }
  }

  @Test func sourcesOfOneOrderTakeTurns() throws {
    let pipes = try (0..<3).map { _ in try Ends() }
    let log = EventLog<Int>()
    let sources = pipes.enumerated().map { index, pipe in source(pipe.input) { log.append(index) } }
    for pipe in pipes { pipe.put([7]) }
    // Nothing reads, so all of them stay ready.
    for _ in 0..<30 { #expect(CFRunLoopRunInMode(mode, 0, true) == .handledSource) }
    #expect(Set(log.all) == [0, 1, 2])
    for source in sources { CFRunLoopSourceInvalidate(source) }
  }

  @Test func aFileThatCannotBePolledIsAlwaysReady() throws {
    let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    let log = EventLog<Int>()
    let source = source(file) { log.append(1) }
    #expect(waitForSource() == .handledSource)
    #expect(pass() == .timedOut)
    #expect(log.count == 2)
    CFRunLoopSourceInvalidate(source)
    #expect(pass() == .finished)
  }

  @Test func aFileAddedToASleepingLoopWakesIt() throws {
    let (file, pipe) = (open("/proc/self/exe", O_RDONLY | O_CLOEXEC), try Ends())
    try #require(file >= 0)
    defer { close(file) }
    let keeper = source(pipe.input) {}
    let (loop, mode) = (CFRunLoop.current, mode)
    let thread = try PlainThread {
      try waitUntilAsleep(loop)
      let source = CFRunLoopSource.watching(file) { CFRunLoopStop(CFRunLoopGetCurrent()) }
      CFRunLoopAddSource(loop, source, mode)
    }
    #expect(waitForSource() == .handledSource)
    try thread.join()
    CFRunLoopSourceInvalidate(keeper)
    for item in loop.lock.withLock({ loop.mode(named: mode).items }) { item.invalidate() }
  }

  @Test func aSourceAddedToASleepingLoopIsWatchedAtOnce() throws {
    let (first, second) = (try Ends(), try Ends())
    let keeper = source(first.input) {}
    let log = EventLog<String>()
    let (loop, mode) = (CFRunLoop.current, mode)
    let made = Guarded<CFRunLoopSource?>(nil)
    let thread = try PlainThread {
      try waitUntilAsleep(loop)
      let source = CFRunLoopSource.watching(second.input) {
        log.append("\(second.take(atMost: 1).first ?? 0)")
      }
      CFRunLoopAddSource(loop, source, mode)
      made.withValue { $0 = source }
      second.put([3])
    }
    #expect(waitForSource() == .handledSource)
    try thread.join()
    #expect(log.all == ["3"])
    CFRunLoopSourceInvalidate(keeper)
    CFRunLoopSourceInvalidate(made.current)
  }

  @Test func twoSourcesShareADescriptor() throws {
    let pipe = try Ends()
    let log = EventLog<String>()
    let a = source(pipe.input) { log.append("a") }
    let b = source(pipe.input) { log.append("b") }
    pipe.put([7])
    #expect(pass() == .timedOut)
    #expect(log.all.sorted() == ["a", "b"])
    CFRunLoopRemoveSource(loop, a, mode)
    #expect(pass() == .timedOut)
    #expect(log.all.sorted() == ["a", "b", "b"])
    CFRunLoopSourceInvalidate(b)
    #expect(pass() == .finished)
    CFRunLoopAddSource(loop, a, mode)
    #expect(pass() == .timedOut)
    #expect(log.all.sorted() == ["a", "a", "b", "b"])
    CFRunLoopSourceInvalidate(a)
  }

  @Test func closingTheOtherEndIsReported() throws {
    let pipe = try Ends()
    let log = EventLog<Bool>()
    let source = source(pipe.input) { log.append(pipe.take(atMost: 1).isEmpty) }
    pipe.closeOutput()
    #expect(waitForSource() == .handledSource)
    #expect(log.all == [true])
    CFRunLoopSourceInvalidate(source)
  }

  @Test func aRunWithinTheCallbackDoesNotBeginWithTheSameSource() throws {
    let pipe = try Ends()
    let log = EventLog<String>()
    let mode = mode
    let source = source(pipe.input) {
      log.append("in")
      if log.count > 5 { return }
      // Nothing was read, so the descriptor is ready all the time.
      let result = CFRunLoopRunInMode(mode, RealTime.settling / .seconds(1), true)
      log.append(result == .timedOut ? "waited" : "\(result)")
      _ = pipe.take(atMost: 1)
      log.append("out")
    }
    pipe.put([7])
    #expect(pass() == .timedOut)
    #expect(log.all == ["in", "waited", "out"])
    pipe.put([7])
    #expect(waitForSource() == .handledSource)
    #expect(log.all == ["in", "waited", "out", "in", "waited", "out"])
    CFRunLoopSourceInvalidate(source)
  }

  @Test func aDescriptorClosedTooEarlyDoesNotKeepTheLoopBusy() throws {
    let (pipe, other) = (try Ends(), try Ends())
    let log = EventLog<String>()
    let number = fcntl(pipe.input, F_DUPFD_CLOEXEC, 0)
    let source = source(number) { log.append("performed") }
    let keeper = self.source(other.input) {
      log.append("other \(other.take(atMost: 1).first ?? 0)")
    }
    #expect(pass() == .timedOut)
    close(number)
    CFRunLoopSourceInvalidate(source)
    // The pipe is open under its first number and is still in the set.
    pipe.put([7])
    #expect(pass() == .timedOut)
    #expect(!loop.watched.mustRenew)
    let sleeper = loop.sleeper
    #expect(sleeper.look().events.isEmpty)
    other.put([5])
    #expect(waitForSource() == .handledSource)
    #expect(log.all == ["other 5"])
    CFRunLoopSourceInvalidate(keeper)
  }

  @Test func aReusedNumberIsWatchedAgain() throws {
    let (first, second) = (try Ends(), try Ends())
    let log = EventLog<String>()
    let number = fcntl(first.input, F_DUPFD_CLOEXEC, 0)
    let old = source(number) { log.append("old") }
    #expect(pass() == .timedOut)
    // The number refers to another pipe without having been closed in between.
    dup2(second.input, number)
    defer { close(number) }
    let new = source(number) {
      log.append("new")
      _ = second.take(atMost: 1)
    }
    CFRunLoopSourceInvalidate(old)
    // The first pipe is open under its own number and is still in the set under the other.
    first.put([7])
    #expect(pass() == .timedOut)
    #expect(log.count == 0)
    #expect(loop.sleeper.look().events.isEmpty)
    second.put([7])
    #expect(waitForSource() == .handledSource)
    #expect(log.all == ["new"])
    CFRunLoopSourceInvalidate(new)
  }

  @Test func theDescriptorIsRequestedEachTimeTheSourceIsAdded() throws {
    let (first, second) = (try Ends(), try Ends())
    let asked = EventLog<Int32>()
    let current = Guarded(first.input)
    var context = CFRunLoopSourceContext1()
    context.version = 1
    context.getPort = { _ in
      asked.append(current.current)
      return current.current
    }
    let log = EventLog<Int>()
    context.perform = { _ in log.append(1) }
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
    CFRunLoopAddSource(loop, source, mode)
    current.withValue { $0 = second.input }
    CFRunLoopRemoveSource(loop, source, mode)
    CFRunLoopAddSource(loop, source, mode)
    #expect(asked.all == [first.input, second.input])
    first.put([7])
    #expect(pass() == .timedOut)
    #expect(log.count == 0)
    second.put([7])
    #expect(pass() == .timedOut)
    #expect(log.count == 1)
    CFRunLoopSourceInvalidate(source)
  }

  @Test func aSourceWithoutADescriptorKeepsTheLoopAndIsNeverPerformed() {
    let log = EventLog<Int>()
    let source = source(-1) { log.append(1) }
    CFRunLoopSourceSignal(source)
    #expect(pass() == .timedOut)
    #expect(log.count == 0)
    CFRunLoopSourceInvalidate(source)
    #expect(pass() == .finished)
  }

  // MARK: Contexts

  @Test func aContextOfTheOtherTypeIsRecognized() throws {
    let pipe = try Ends()
    let log = EventLog<String>()
    var context = CFRunLoopSourceContext1()
    context.version = 1
    context.getPort = { _ in pipe.input }
    context.perform = { _ in log.append("performed") }
    let source = withUnsafeMutablePointer(to: &context) {
      $0.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
        CFRunLoopSourceCreate(kCFAllocatorDefault, 3, $0)!
      }
    }
    CFRunLoopAddSource(loop, source, mode)
    pipe.put([7])
    #expect(pass() == .timedOut)
    #expect(log.all == ["performed"])
    #expect(CFRunLoopSourceGetOrder(source) == 3)

    var kept = CFRunLoopSourceContext1()
    kept.version = 1
    CFRunLoopSourceGetContext(source, &kept)
    #expect(kept.getPort(nil) == pipe.input)
    kept.getPort = nil
    withUnsafeMutablePointer(to: &kept) {
      $0.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
        CFRunLoopSourceGetContext(source, $0)
      }
    }
    #expect(kept.getPort(nil) == pipe.input)
    CFRunLoopSourceInvalidate(source)
  }

  @Test func theTwoContextsAreLaidOutAlike() {
    typealias Zero = CFRunLoopSourceContext
    typealias One = CFRunLoopSourceContext1
    #expect(MemoryLayout<Zero>.offset(of: \.version) == MemoryLayout<One>.offset(of: \.version))
    #expect(MemoryLayout<Zero>.offset(of: \.info) == MemoryLayout<One>.offset(of: \.info))
    #expect(MemoryLayout<Zero>.offset(of: \.hash) == MemoryLayout<One>.offset(of: \.hash))
    #expect(MemoryLayout<Zero>.offset(of: \.schedule) == MemoryLayout<One>.offset(of: \.getPort))
    #expect(MemoryLayout<Zero>.size >= MemoryLayout<One>.size)
  }

  @Test func retainsAndReleasesOfTheInfoAreBalanced() throws {
    let pipe = try Ends()
    let log = EventLog<String>()
    let tracker = LeakTracker()
    do {
      let object = tracker.makeObject()
      // SAFETY: the context's calls below retain and release it in balance, which is what the
      // test checks.
      var context = CFRunLoopSourceContext1()
      context.version = 1
      // SAFETY: as above.
      context.info = Unmanaged.passUnretained(object).toOpaque()
      context.retain = { info in
        log.append("retain")
        // SAFETY: as above.
        return UnsafeRawPointer(
          Unmanaged<TrackedObject>.fromOpaque(info!).retain().toOpaque())
      }
      context.release = { info in
        log.append("release")
        // SAFETY: as above.
        Unmanaged<TrackedObject>.fromOpaque(info!).release()
      }
      context.getPort = { _ in pipe.input }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      CFRunLoopAddSource(loop, source, mode)
      #expect(pass() == .timedOut)
      #expect(log.all == ["retain"])
      CFRunLoopSourceInvalidate(source)
    }
    #expect(log.all == ["retain", "release"])
    #expect(tracker.alive == 0)
  }
}

extension CFRunLoopSource {
  /// Makes a source of version 1.
  static func watching(
    _ descriptor: Int32, order: CFIndex = 0, _ perform: @escaping () -> Void
  ) -> CFRunLoopSource {
    var context = CFRunLoopSourceContext1()
    context.version = 1
    context.getPort = { _ in descriptor }
    context.perform = { _ in perform() }
    return CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
  }
}
