// ResumedEndTests — an end that a handler did not read is reported once more after each resumption.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ResumedEndTests {
  private enum Kind: CaseIterable {
    case pipe, sockets, terminal, oneDirection
    /// A full pipe whose reader is gone.
    case writer

    var ends: Ends.Kind {
      switch self {
      case .pipe, .writer: .pipe
      case .sockets, .oneDirection: .sockets
      case .terminal: .terminal
      }
    }
  }

  /// Makes an inactive source whose descriptor is at its end.
  private static func source(
    _ kind: Kind, _ ends: Ends, on queue: DispatchQueue = DispatchQueue(label: "test.end")
  ) throws -> any DispatchSourceProtocol {
    switch kind {
    case .pipe, .sockets, .terminal: ends.closeOutput()
    case .oneDirection: shutdown(ends.output, Int32(SHUT_WR))
    case .writer:
      _ = try Bytes.fill(ends.output)
      try ends.closeLastInput()
      return DispatchSource.makeWriteSource(fileDescriptor: ends.output, queue: queue)
    }
    return DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
  }

  /// The handler suspends the source and reads nothing. An earlier version then never called it
  /// again.
  @Test func endIsReportedOnceMoreAfterEachResumption() throws {
    try withEvery("kind of end", in: Kind.allCases) { kind in
      let ends = try Ends(kind.ends)
      let source = try Self.source(kind, ends)
      let shared = Shared(source)
      let events = EventLog<UInt>()
      source.setEventHandler {
        shared.value.suspend()
        events.append(shared.value.data)
      }
      source.activate()
      for number in 1...20 {
        try events.wait(forCount: number)
        source.resume()
      }
      try events.wait(forCount: 21)
      letRealTimePass(RealTime.settling)
      #expect(events.count == 21)
      // An active source does not report the end again.
      source.setEventHandler { events.append(shared.value.data) }
      source.resume()
      try events.wait(forCount: 22)
      letRealTimePass(RealTime.settling)
      #expect(events.all == Array(repeating: 0, count: 22))
      try end(source)
    }
  }

  @Test func endThatComesDuringASuspensionIsReportedOnce() throws {
    try withEvery("kind of ends", in: [Ends.Kind.pipe, .sockets]) { kind in
      let ends = try Ends(kind)
      let events = EventLog<ReadSourceTests.Event>()
      let source = ReadSourceTests.reader(of: ends.input, events)
      source.suspend()
      ends.closeOutput()
      letRealTimePass(RealTime.settling)
      #expect(events.count == 0)
      source.resume()
      try events.wait(forCount: 1)
      letRealTimePass(RealTime.settling)
      #expect(events.all == [ReadSourceTests.Event(told: 0, bytes: [])])
      try end(source)
    }
  }

  /// The first `resume()` ends the suspension, the second one activates the source.
  @Test func sourceThatWasSuspendedBeforeItsActivationReportsTheEndOnce() throws {
    try withEvery("kind of end", in: Kind.allCases) { kind in
      let ends = try Ends(kind.ends)
      let source = try Self.source(kind, ends)
      let events = EventCounter("events")
      source.setEventHandler { events.increment() }
      source.suspend()
      source.resume()
      source.resume()
      try events.wait(for: 1)
      letRealTimePass(RealTime.settling)
      #expect(events.value == 1)
      try end(source)
    }
  }

  @Test func sourceThatIsCancelledDuringTheSuspensionReportsNothingMore() throws {
    try withEvery("kind of end", in: Kind.allCases) { kind in
      let ends = try Ends(kind.ends)
      let source = try Self.source(kind, ends)
      let shared = Shared(source)
      let events = EventCounter("events")
      let gone = EventCounter("cancellations")
      source.setEventHandler {
        shared.value.suspend()
        events.increment()
      }
      source.setCancelHandler { gone.increment() }
      source.activate()
      try events.wait(for: 1)
      source.cancel()
      source.resume()
      try gone.wait(for: 1)
      letRealTimePass(RealTime.settling)
      #expect(events.value == 1)
      #expect(gone.value == 1)
    }
  }

  @Test func endOfAFileIsReportedOnceMoreAfterEachResumption() throws {
    let folder = try TemporaryFolder()
    try folder.write("file", "01234")
    let path = folder.path + "/file"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    let writer = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    try #require(descriptor >= 0 && writer >= 0)
    let events = EventLog<Int>()
    let source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "test.file"))
    let shared = Shared(source)
    source.setEventHandler {
      let told = Int(shared.value.data)
      _ = Bytes.take(65_536, from: descriptor)
      if told == 0 { shared.value.suspend() }
      events.append(told)
    }
    source.activate()
    for number in 2...5 {
      #expect(try events.wait(forCount: number).last == 0)
      source.resume()
    }
    try events.wait(forCount: 6)
    letRealTimePass(RealTime.settling)
    #expect(events.all == [5, 0, 0, 0, 0, 0])
    // The file grows while the source is suspended.
    Bytes.put(Array("678".utf8), into: writer)
    source.resume()
    #expect(try events.wait(forCount: 8).suffix(2) == [3, 0])
    source.setEventHandler {}
    source.resume()
    try end(source)
    close(writer)
    close(descriptor)
  }

  /// Resumptions that come faster than the handler runs are combined, and the last one is not lost.
  @Test func manyThreadsMaySuspendAndResumeTheSourceAtItsEnd() throws {
    try withEvery("kind of end", in: Kind.allCases) { kind in
      let ends = try Ends(kind.ends)
      let queue = DispatchQueue(label: "test.end")
      let source = try Self.source(kind, ends, on: queue)
      let shared = Shared(source)
      let events = EventCounter("events")
      source.setEventHandler { events.increment() }
      source.activate()
      try events.wait(for: 1)
      let (threads, rounds) = (4, 500)
      try runThreads(threads) { _ in
        for _ in 0..<rounds {
          shared.value.suspend()
          shared.value.resume()
        }
      }
      source.suspend()
      // After this, no handler runs.
      queue.sync {}
      let told = events.value
      #expect(told <= 1 + threads * rounds)
      source.resume()
      try events.wait(for: told + 1)
      letRealTimePass(RealTime.settling)
      #expect(events.value == told + 1)
      try end(source)
    }
  }
}
