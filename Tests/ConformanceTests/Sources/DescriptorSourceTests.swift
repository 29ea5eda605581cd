// DescriptorSourceTests — sources and their descriptors: write sources, several sources on one
// descriptor, other pollers, closing and reuse.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct DescriptorSourceTests {
  typealias Event = ReadSourceTests.Event

  // MARK: Writing

  @Test func writableDescriptorIsReportedUntilTheSourceIsCancelled() throws {
    try withEvery("kind of ends", in: Ends.Kind.allCases) { kind in
      let ends = try Ends(kind)
      let events = EventCounter("events")
      let source = DispatchSource.makeWriteSource(
        fileDescriptor: ends.output, queue: DispatchQueue(label: "test.write"))
      #expect(source.handle == UInt(ends.output))
      source.setEventHandler { events.increment() }
      source.activate()
      try events.wait(for: 3)
      try end(source)
      let told = events.value
      letRealTimePass(RealTime.settling)
      #expect(events.value == told)
    }
  }

  @Test func fullDescriptorIsReportedWhenItAcceptsBytesAgain() throws {
    try withEvery("kind of ends", in: [Ends.Kind.pipe, .sockets]) { kind in
      let ends = try Ends(kind)
      let filled = try Bytes.fill(ends.output)
      let events = EventCounter("events")
      let source = DispatchSource.makeWriteSource(
        fileDescriptor: ends.output, queue: DispatchQueue(label: "test.full"))
      let shared = Shared(source)
      source.setEventHandler {
        shared.value.suspend()
        events.increment()
      }
      source.activate()
      letRealTimePass(RealTime.settling)
      #expect(events.value == 0)
      var taken = 0
      while taken < filled { taken += ends.take().count }
      try events.wait(for: 1)
      #expect(events.value == 1)
      source.resume()
      try events.wait(for: 2)
      // The old handler would suspend the source again.
      source.setEventHandler {}
      source.resume()
      try end(source)
    }
  }

  @Test func allIsWrittenPieceByPiece() throws {
    let ends = try Ends(.sockets)
    let size = 3_000_000
    try #require(csc_never_wait(ends.output) == 0)
    let source = DispatchSource.makeWriteSource(
      fileDescriptor: ends.output, queue: DispatchQueue(label: "test.pieces"))
    let shared = Shared(source)
    let written = Unprotected(0)
    source.setEventHandler {
      let bytes = [UInt8](repeating: 1, count: 100_000)
      let count = write(ends.output, bytes, min(bytes.count, size - written.value))
      if count > 0 { written.value += count }
      if written.value == size { shared.value.cancel() }
    }
    source.setCancelHandler { ends.closeOutput() }
    source.activate()
    var read = 0
    while case let bytes = ends.take(), !bytes.isEmpty { read += bytes.count }
    #expect(read == size)
  }

  /// A later write fails with EPIPE.
  @Test func endOfTheReaderIsReportedToTheWriterOnce() throws {
    try withEvery("kind of ends", in: [Ends.Kind.pipe, .sockets]) { kind in
      let ends = try Ends(kind)
      _ = try Bytes.fill(ends.output)
      let events = EventCounter("events")
      let source = DispatchSource.makeWriteSource(
        fileDescriptor: ends.output, queue: DispatchQueue(label: "test.reader.gone"))
      source.setEventHandler { events.increment() }
      source.activate()
      letRealTimePass(RealTime.settling)
      #expect(events.value == 0)
      ends.closeInput()
      try events.wait(for: 1)
      letRealTimePass(RealTime.settling)
      #expect(events.value <= 2)
      try end(source)
    }
  }

  // MARK: Several on one descriptor

  @Test func twoReadSourcesAreBothCalled() throws {
    let ends = try Ends()
    let logs = [EventCounter("first"), EventCounter("second")]
    let sources = logs.enumerated().map { number, log in
      let source = DispatchSource.makeReadSource(
        fileDescriptor: ends.input, queue: DispatchQueue(label: "test.both.\(number)"))
      let shared = Shared(source)
      source.setEventHandler {
        shared.value.suspend()
        log.increment()
      }
      source.activate()
      return source
    }
    for number in 1...5 {
      ends.put()
      for log in logs { try log.wait(for: number) }
      _ = ends.take()
      for source in sources { source.resume() }
    }
    letRealTimePass(RealTime.settling)
    for log in logs { #expect(log.value == 5) }
    for source in sources { try end(source) }
  }

  @Test func cancellingOneOfTwoSourcesLeavesTheOther() throws {
    try withEvery("cancelled", in: [0, 1]) { cancelled in
      let ends = try Ends()
      let log = EventLog<Event>()
      let unused = EventCounter("events of the other")
      let other = DispatchSource.makeReadSource(
        fileDescriptor: ends.input, queue: DispatchQueue(label: "test.other"))
      other.setEventHandler { unused.increment() }
      var source: any DispatchSourceRead
      if cancelled == 0 {
        other.activate()
        source = ReadSourceTests.reader(of: ends.input, log)
      } else {
        source = ReadSourceTests.reader(of: ends.input, log)
        other.activate()
      }
      try end(other)
      for number in 1...3 {
        ends.put([UInt8(number)])
        try #expect(log.wait(forCount: number).last?.bytes == [UInt8(number)])
      }
      #expect(unused.value == 0)
      try end(source)
    }
  }

  @Test func readingAndWritingAreIndependent() throws {
    let ends = try Ends(.sockets)
    let descriptor = ends.input
    let filled = try Bytes.fill(descriptor)
    let read = EventLog<Event>()
    let reader = ReadSourceTests.reader(of: descriptor, read)
    let written = EventCounter("events of the writer")
    let writer = DispatchSource.makeWriteSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "test.writer"))
    let shared = Shared(writer)
    writer.setEventHandler {
      shared.value.suspend()
      written.increment()
    }
    writer.activate()

    // The descriptor is readable and not writable.
    for number in 1...3 {
      ends.put([UInt8(number)])
      try #expect(read.wait(forCount: number).last?.bytes == [UInt8(number)])
    }
    letRealTimePass(RealTime.settling)
    #expect(written.value == 0)
    // The descriptor is writable and not readable.
    var taken = 0
    while taken < filled { taken += Bytes.take(65_536, from: ends.output).count }
    try written.wait(for: 1)
    letRealTimePass(RealTime.settling)
    #expect(read.count == 3)
    // One source ends, the other stays.
    writer.setEventHandler {}
    writer.resume()
    try end(writer)
    ends.put([4])
    try #expect(read.wait(forCount: 4).last?.bytes == [4])
    try end(reader)
  }

  @Test func sourceOfADuplicateOutlivesTheOriginal() throws {
    let ends = try Ends()
    let duplicate = fcntl(ends.input, F_DUPFD_CLOEXEC, 0)
    try #require(duplicate >= 0)
    let first = EventLog<Event>()
    let second = EventLog<Event>()
    let original = ReadSourceTests.reader(of: ends.input, first)
    ends.put([1])
    try first.wait(forCount: 1)
    let source = ReadSourceTests.reader(of: duplicate, second)
    try end(original)
    ends.closeInput()
    ends.put([2])
    try #expect(second.wait(forCount: 1).last?.bytes == [2])
    #expect(first.count == 1)
    try end(source)
    close(duplicate)
  }

  // MARK: Other pollers

  /// The kernel reports readiness to each watching set, and the program may have a set of its
  /// own.
  @Test func anotherPollerOfTheProgramSeesTheSame() throws {
    let ends = try Ends()
    let set = csc_poll_set()
    try #require(set >= 0)
    defer { close(set) }
    try #require(csc_poll_add(set, ends.input) == 0)
    let events = EventCounter("events")
    let source = DispatchSource.makeReadSource(
      fileDescriptor: ends.input, queue: DispatchQueue(label: "test.own.poller"))
    let shared = Shared(source)
    source.setEventHandler {
      shared.value.suspend()
      events.increment()
    }
    source.activate()
    #expect(csc_poll(set, 0) == 0)
    for number in 1...5 {
      ends.put()
      #expect(csc_poll(set, Int32(RealTime.wedge.components.seconds) * 1000) == 1)
      try events.wait(for: number)
      _ = ends.take()
      #expect(csc_poll(set, 0) == 0)
      source.resume()
    }
    try end(source)
    ends.put()
    #expect(csc_poll(set, 0) == 1)
  }

  /// A poller's own descriptor is readable while it has events to report.
  @Test func anotherPollersDescriptorMayBeASourcesOwn() throws {
    let ends = try Ends()
    let set = csc_poll_set()
    try #require(set >= 0)
    try #require(csc_poll_add(set, ends.input) == 0)
    let events = EventCounter("events")
    let source = DispatchSource.makeReadSource(
      fileDescriptor: set, queue: DispatchQueue(label: "test.poller"))
    source.setEventHandler {
      if csc_poll(set, 0) == 1 {
        _ = ends.take()
        events.increment()
      }
    }
    source.activate()
    for number in 1...3 {
      ends.put()
      try events.wait(for: number)
    }
    try end(source)
    close(set)
  }

  // MARK: Closing and re-use

  @Test func cancelHandlerMayCloseTheDescriptor() throws {
    for _ in 0..<50 {
      let ends = try Ends()
      let events = EventLog<Event>()
      let closed = Gate("closed")
      let source = ReadSourceTests.reader(of: ends.input, events)
      source.setCancelHandler {
        ends.closeInput()
        closed.open()
      }
      ends.put()
      try events.wait(forCount: 1)
      source.cancel()
      try closed.wait()
      #expect(fcntl(ends.input, F_GETFD) == -1 || events.count == 1)
    }
  }

  /// The number is reused at once, for another pipe and another source.
  @Test func reusedNumberReportsToItsNewSourceOnly() throws {
    var last: Int32 = -1
    var reuses = 0
    // Other tests may take the number first, so the loop repeats until they do not.
    let limit = Uptime.now() + RealTime.wedge
    var round = 0
    while round < 100 || reuses == 0 && Uptime.now() < limit {
      round += 1
      let ends = try Ends()
      if ends.input == last { reuses += 1 }
      last = ends.input
      let events = EventLog<Event>()
      let source = ReadSourceTests.reader(of: ends.input, events)
      // An event for the earlier source that arrives too late would be visible
      // here.
      let byte = UInt8(truncatingIfNeeded: round)
      ends.put([byte])
      try #expect(events.wait(forCount: 1) == [Event(told: 1, bytes: [byte])])
      try end(source)
      #expect(events.count == 1)
      ends.put()
      ends.closeInput()
      ends.closeOutput()
    }
    #expect(reuses > 0)
  }

  /// Sources are added and removed on a descriptor that stays open.
  @Test func manySourcesInARowUseOneDescriptor() throws {
    let ends = try Ends()
    let gone = EventCounter("cancellations")
    for round in 0..<100 {
      let events = EventLog<Event>()
      let source = ReadSourceTests.reader(of: ends.input, events)
      source.setCancelHandler { gone.increment() }
      ends.put([UInt8(truncatingIfNeeded: round)])
      try #expect(events.wait(forCount: 1)[0].bytes == [UInt8(truncatingIfNeeded: round)])
      // The next source exists before this one is gone.
      source.cancel()
    }
    try gone.wait(for: 100)
  }

  @Test func suspendedSourceOfADescriptorLosesNothing() throws {
    let ends = try Ends()
    let events = EventLog<Event>()
    let source = ReadSourceTests.reader(of: ends.input, events)
    for number in 1...50 {
      source.suspend()
      ends.put([UInt8(number)])
      source.resume()
      try #expect(events.wait(forCount: number).last?.bytes == [UInt8(number)])
    }
    source.suspend()
    ends.put([99])
    letRealTimePass(RealTime.settling)
    #expect(events.count == 50)
    source.resume()
    try events.wait(forCount: 51)
    try end(source)
  }
}
