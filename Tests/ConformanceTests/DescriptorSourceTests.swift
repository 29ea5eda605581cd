// Row G4: sources and their descriptors. Write sources, several sources on one
// descriptor, other pollers, closing and re-use.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct DescriptorSourceTests {
  typealias Event = ReadSourceTests.Event

  // MARK: Writing

  @Test func writableDescriptorIsToldUntilTheSourceIsCancelled() throws {
    try withEvery("channel", in: Channel.Kind.allCases) { kind in
      let channel = try Channel(kind)
      let events = EventCounter("events")
      let source = DispatchSource.makeWriteSource(
        fileDescriptor: channel.output, queue: DispatchQueue(label: "test.write"))
      #expect(source.handle == UInt(channel.output))
      source.setEventHandler { events.increment() }
      source.activate()
      try events.wait(for: 3)
      try end(source)
      let told = events.value
      letRealTimePass(RealTime.settling)
      #expect(events.value == told)
    }
  }

  @Test func fullDescriptorIsToldWhenItTakesBytesAgain() throws {
    try withEvery("channel", in: [Channel.Kind.pipe, .sockets]) { kind in
      let channel = try Channel(kind)
      let filled = try Bytes.fill(channel.output)
      let events = EventCounter("events")
      let source = DispatchSource.makeWriteSource(
        fileDescriptor: channel.output, queue: DispatchQueue(label: "test.full"))
      let shared = Shared(source)
      source.setEventHandler {
        shared.value.suspend()
        events.increment()
      }
      source.activate()
      letRealTimePass(RealTime.settling)
      #expect(events.value == 0)
      var taken = 0
      while taken < filled { taken += channel.take().count }
      try events.wait(for: 1)
      #expect(events.value == 1)
      source.resume()
      try events.wait(for: 2)
      // It would suspend itself again.
      source.setEventHandler {}
      source.resume()
      try end(source)
    }
  }

  @Test func allIsWrittenPieceByPiece() throws {
    let channel = try Channel(.sockets)
    let size = 3_000_000
    try #require(csc_never_wait(channel.output) == 0)
    let source = DispatchSource.makeWriteSource(
      fileDescriptor: channel.output, queue: DispatchQueue(label: "test.pieces"))
    let shared = Shared(source)
    let written = Unprotected(0)
    source.setEventHandler {
      let bytes = [UInt8](repeating: 1, count: 100_000)
      let count = write(channel.output, bytes, min(bytes.count, size - written.value))
      if count > 0 { written.value += count }
      if written.value == size { shared.value.cancel() }
    }
    source.setCancelHandler { channel.closeOutput() }
    source.activate()
    var read = 0
    while case let bytes = channel.take(), !bytes.isEmpty { read += bytes.count }
    #expect(read == size)
  }

  /// Whoever writes then gets EPIPE.
  @Test func endOfTheReaderIsToldToTheWriterAndDoesNotSpin() throws {
    try withEvery("channel", in: [Channel.Kind.pipe, .sockets]) { kind in
      let channel = try Channel(kind)
      _ = try Bytes.fill(channel.output)
      let events = EventCounter("events")
      let source = DispatchSource.makeWriteSource(
        fileDescriptor: channel.output, queue: DispatchQueue(label: "test.reader.gone"))
      source.setEventHandler { events.increment() }
      source.activate()
      letRealTimePass(RealTime.settling)
      #expect(events.value == 0)
      channel.closeInput()
      try events.wait(for: 1)
      letRealTimePass(RealTime.settling)
      #expect(events.value <= 2)
      try end(source)
    }
  }

  // MARK: Several on one descriptor

  @Test func twoReadSourcesAreBothTold() throws {
    let channel = try Channel()
    let logs = [EventCounter("first"), EventCounter("second")]
    let sources = logs.enumerated().map { number, log in
      let source = DispatchSource.makeReadSource(
        fileDescriptor: channel.input, queue: DispatchQueue(label: "test.both.\(number)"))
      let shared = Shared(source)
      source.setEventHandler {
        shared.value.suspend()
        log.increment()
      }
      source.activate()
      return source
    }
    for number in 1...5 {
      channel.put()
      for log in logs { try log.wait(for: number) }
      _ = channel.take()
      for source in sources { source.resume() }
    }
    letRealTimePass(RealTime.settling)
    for log in logs { #expect(log.value == 5) }
    for source in sources { try end(source) }
  }

  @Test func cancellingOneOfTwoSourcesLeavesTheOther() throws {
    try withEvery("cancelled", in: [0, 1]) { cancelled in
      let channel = try Channel()
      let log = EventLog<Event>()
      let unused = EventCounter("events of the other")
      let other = DispatchSource.makeReadSource(
        fileDescriptor: channel.input, queue: DispatchQueue(label: "test.other"))
      other.setEventHandler { unused.increment() }
      var source: any DispatchSourceRead
      if cancelled == 0 {
        other.activate()
        source = ReadSourceTests.reader(of: channel.input, log)
      } else {
        source = ReadSourceTests.reader(of: channel.input, log)
        other.activate()
      }
      try end(other)
      for number in 1...3 {
        channel.put([UInt8(number)])
        try #expect(log.wait(forCount: number).last?.bytes == [UInt8(number)])
      }
      #expect(unused.value == 0)
      try end(source)
    }
  }

  @Test func readingAndWritingAreIndependent() throws {
    let channel = try Channel(.sockets)
    let descriptor = channel.input
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

    // Readable and not writable.
    for number in 1...3 {
      channel.put([UInt8(number)])
      try #expect(read.wait(forCount: number).last?.bytes == [UInt8(number)])
    }
    letRealTimePass(RealTime.settling)
    #expect(written.value == 0)
    // Writable and not readable.
    var taken = 0
    while taken < filled { taken += Bytes.take(65_536, from: channel.output).count }
    try written.wait(for: 1)
    letRealTimePass(RealTime.settling)
    #expect(read.count == 3)
    // One goes, the other stays.
    writer.setEventHandler {}
    writer.resume()
    try end(writer)
    channel.put([4])
    try #expect(read.wait(forCount: 4).last?.bytes == [4])
    try end(reader)
  }

  @Test func sourceOfADuplicateOutlivesTheOriginal() throws {
    let channel = try Channel()
    let duplicate = fcntl(channel.input, F_DUPFD_CLOEXEC, 0)
    try #require(duplicate >= 0)
    let first = EventLog<Event>()
    let second = EventLog<Event>()
    let original = ReadSourceTests.reader(of: channel.input, first)
    channel.put([1])
    try first.wait(forCount: 1)
    let source = ReadSourceTests.reader(of: duplicate, second)
    try end(original)
    channel.closeInput()
    channel.put([2])
    try #expect(second.wait(forCount: 1).last?.bytes == [2])
    #expect(first.count == 1)
    try end(source)
    close(duplicate)
  }

  // MARK: Other pollers

  /// Readiness is told to each set that watches: the program may have one of its own.
  @Test func anotherPollerOfTheProgramSeesTheSame() throws {
    let channel = try Channel()
    let set = csc_poll_set()
    try #require(set >= 0)
    defer { close(set) }
    try #require(csc_poll_add(set, channel.input) == 0)
    let events = EventCounter("events")
    let source = DispatchSource.makeReadSource(
      fileDescriptor: channel.input, queue: DispatchQueue(label: "test.own.poller"))
    let shared = Shared(source)
    source.setEventHandler {
      shared.value.suspend()
      events.increment()
    }
    source.activate()
    #expect(csc_poll(set, 0) == 0)
    for number in 1...5 {
      channel.put()
      #expect(csc_poll(set, Int32(RealTime.wedge.components.seconds) * 1000) == 1)
      try events.wait(for: number)
      _ = channel.take()
      #expect(csc_poll(set, 0) == 0)
      source.resume()
    }
    try end(source)
    channel.put()
    #expect(csc_poll(set, 0) == 1)
  }

  /// A poller's own descriptor is readable when it has something to tell.
  @Test func anotherPollersDescriptorMayBeASourcesOwn() throws {
    let channel = try Channel()
    let set = csc_poll_set()
    try #require(set >= 0)
    try #require(csc_poll_add(set, channel.input) == 0)
    let events = EventCounter("events")
    let source = DispatchSource.makeReadSource(
      fileDescriptor: set, queue: DispatchQueue(label: "test.poller"))
    source.setEventHandler {
      if csc_poll(set, 0) == 1 {
        _ = channel.take()
        events.increment()
      }
    }
    source.activate()
    for number in 1...3 {
      channel.put()
      try events.wait(for: number)
    }
    try end(source)
    close(set)
  }

  // MARK: Closing and re-use

  @Test func cancelHandlerMayCloseTheDescriptor() throws {
    for _ in 0..<50 {
      let channel = try Channel()
      let events = EventLog<Event>()
      let closed = Gate("closed")
      let source = ReadSourceTests.reader(of: channel.input, events)
      source.setCancelHandler {
        channel.closeInput()
        closed.open()
      }
      channel.put()
      try events.wait(forCount: 1)
      source.cancel()
      try closed.wait()
      #expect(fcntl(channel.input, F_GETFD) == -1 || events.count == 1)
    }
  }

  /// The number comes back at once, for another pipe and another source.
  @Test func reusedNumberTellsOnlyItsNewSource() throws {
    var last: Int32 = -1
    var reuses = 0
    for round in 0..<100 {
      let channel = try Channel()
      if channel.input == last { reuses += 1 }
      last = channel.input
      let events = EventLog<Event>()
      let source = ReadSourceTests.reader(of: channel.input, events)
      // What the one before is told too late would be seen here.
      channel.put([UInt8(round)])
      try #expect(events.wait(forCount: 1) == [Event(told: 1, bytes: [UInt8(round)])])
      try end(source)
      #expect(events.count == 1)
      channel.put()
      channel.closeInput()
      channel.closeOutput()
    }
    #expect(reuses > 0)
  }

  /// Sources come and go on a descriptor that stays.
  @Test func manySourcesFollowEachOtherOnOneDescriptor() throws {
    let channel = try Channel()
    let gone = EventCounter("cancellations")
    for round in 0..<100 {
      let events = EventLog<Event>()
      let source = ReadSourceTests.reader(of: channel.input, events)
      source.setCancelHandler { gone.increment() }
      channel.put([UInt8(round)])
      try #expect(events.wait(forCount: 1)[0].bytes == [UInt8(round)])
      // The next one is there before this one has gone.
      source.cancel()
    }
    try gone.wait(for: 100)
  }

  @Test func suspendedSourceOfADescriptorLosesNothing() throws {
    let channel = try Channel()
    let events = EventLog<Event>()
    let source = ReadSourceTests.reader(of: channel.input, events)
    for number in 1...50 {
      source.suspend()
      channel.put([UInt8(number)])
      source.resume()
      try #expect(events.wait(forCount: number).last?.bytes == [UInt8(number)])
    }
    source.suspend()
    channel.put([99])
    letRealTimePass(RealTime.settling)
    #expect(events.count == 50)
    source.resume()
    try events.wait(forCount: 51)
    try end(source)
  }
}
