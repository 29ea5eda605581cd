// ReadSourceTests — read sources: what they report about bytes, connections, ends and hang-ups.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ReadSourceTests {
  /// What a handler received: the source's data, and the bytes that it then read.
  struct Event: Sendable, Equatable {
    var told: Int
    var bytes: [UInt8]
  }

  /// Makes an active source that reads up to `count` bytes for each event. The owner of the
  /// ends closes the descriptor after the source's end.
  static func reader(
    of descriptor: Int32, atMost count: Int = 65_536,
    on queue: DispatchQueue = DispatchQueue(label: "test.read"), _ events: EventLog<Event>
  ) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    let shared = Shared(source)
    source.setEventHandler {
      let told = Int(shared.value.data)
      events.append(Event(told: told, bytes: Bytes.take(count, from: descriptor)))
    }
    source.activate()
    return source
  }

  // MARK: Bytes

  @Test func bytesAreReportedWithTheirNumber() throws {
    try withEvery("kind of ends", in: Ends.Kind.allCases) { kind in
      let ends = try Ends(kind)
      let events = EventLog<Event>()
      let source = Self.reader(of: ends.input, events)
      letRealTimePass(RealTime.settling)
      #expect(events.count == 0)
      for number in 1...5 {
        // A terminal delivers whole lines.
        let bytes = Array("12345\n".utf8)
        ends.put(bytes)
        let event = try events.wait(forCount: number)[number - 1]
        #expect(event == Event(told: bytes.count, bytes: bytes))
      }
      letRealTimePass(RealTime.settling)
      #expect(events.count == 5)
      try end(source)
    }
  }

  @Test func remainingBytesAreReportedAgain() throws {
    try withEvery("kind of ends", in: [Ends.Kind.pipe, .sockets]) { kind in
      let ends = try Ends(kind)
      ends.put(Array(1...10))
      let events = EventLog<Event>()
      let source = Self.reader(of: ends.input, atMost: 3, events)
      let all = try events.wait(forCount: 4)
      #expect(all.map(\.told) == [10, 7, 4, 1])
      #expect(all.flatMap(\.bytes) == Array(1...10))
      letRealTimePass(RealTime.settling)
      #expect(events.count == 4)
      try end(source)
    }
  }

  @Test func datagramsAreReportedOneByOne() throws {
    let ends = try Ends(.datagrams)
    for size in [3, 1, 7] { ends.put(size) }
    let events = EventLog<Event>()
    let source = Self.reader(of: ends.input, events)
    try #expect(events.wait(forCount: 3).map(\.bytes.count) == [3, 1, 7])
    letRealTimePass(RealTime.settling)
    #expect(events.count == 3)
    try end(source)
  }

  @Test func bytesThatArriveWhileTheHandlerRunsAreReportedAfterwards() throws {
    let ends = try Ends()
    let log = EventLog<[UInt8]>()
    let running = Gate("running")
    let gate = Gate()
    let source = DispatchSource.makeReadSource(
      fileDescriptor: ends.input, queue: DispatchQueue(label: "test.read"))
    source.setEventHandler {
      let bytes = ends.take()
      running.open()
      gate.pass()
      log.append(bytes)
    }
    source.activate()
    ends.put([1])
    try running.wait()
    ends.put([2])
    gate.open()
    try #expect(log.wait(forCount: 2) == [[1], [2]])
    letRealTimePass(RealTime.settling)
    #expect(log.count == 2)
    try end(source)
  }

  @Test func counterOfAnEventfdIsReported() throws {
    let descriptor = csc_event_descriptor(0)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let events = EventLog<Event>()
    let source = Self.reader(of: descriptor, atMost: 8, events)
    for number in 1...3 {
      Bytes.put([UInt8(number), 0, 0, 0, 0, 0, 0, 0], into: descriptor)
      let event = try events.wait(forCount: number)[number - 1]
      // The kernel does not say how many bytes.
      #expect(event.told >= 1)
      #expect(event.bytes.first == UInt8(number))
    }
    letRealTimePass(RealTime.settling)
    #expect(events.count == 3)
    try end(source)
  }

  @Test func connectionsToAListeningSocketAreReported() throws {
    var listener: Int32 = -1
    var port: Int32 = 0
    try #require(csc_listener(&listener, &port) == 0)
    let descriptor = listener
    let log = EventLog<UInt>()
    let source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "test.accept"))
    let shared = Shared(source)
    source.setEventHandler {
      let told = shared.value.data
      let accepted = accept(descriptor, nil, nil)
      if accepted >= 0 { close(accepted) }
      log.append(accepted >= 0 ? told : 0)
    }
    source.activate()
    for number in 1...3 {
      var client: Int32 = -1
      try #require(csc_connect(&client, port) == 0)
      try #expect(log.wait(forCount: number)[number - 1] >= 1)
      close(client)
    }
    letRealTimePass(RealTime.settling)
    #expect(log.count == 3)
    try end(source)
    close(descriptor)
  }

  // MARK: Files

  @Test func wholeFileIsRead() throws {
    let folder = try TemporaryFolder()
    let text = String(repeating: "0123456789", count: 3_000)
    try folder.write("file", text)
    let descriptor = open(folder.path + "/file", O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    let read = EventLog<[UInt8]>()
    let whole = Gate("the end of the file")
    let source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "test.file"))
    let shared = Shared(source)
    source.setEventHandler {
      #expect(shared.value.data >= 1 || read.all.joined().count == text.utf8.count)
      let bytes = Bytes.take(4096, from: descriptor)
      read.append(bytes)
      if read.all.joined().count == text.utf8.count {
        shared.value.cancel()
        whole.open()
      }
    }
    source.activate()
    try whole.wait()
    #expect(Array(read.all.joined()) == Array(text.utf8))
    close(descriptor)
  }

  @Test func bytesLeftInAFileAreReported() throws {
    let folder = try TemporaryFolder()
    try folder.write("file", "0123456789")
    let descriptor = open(folder.path + "/file", O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    let events = EventLog<Event>()
    let source = Self.reader(of: descriptor, atMost: 4, events)
    let all = try events.wait(forCount: 3).prefix(3)
    #expect(all.map(\.told) == [10, 6, 2])
    #expect(all.flatMap(\.bytes) == Array("0123456789".utf8))
    try end(source)
    close(descriptor)
  }

  /// The source reports the end once. It reports bytes that are written afterwards, and their
  /// end, again.
  @Test func grownFileIsReportedAgain() throws {
    let folder = try TemporaryFolder()
    try folder.write("file", "01234")
    let path = folder.path + "/file"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    let writer = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    try #require(descriptor >= 0 && writer >= 0)
    let events = EventLog<Event>()
    let source = Self.reader(of: descriptor, events)
    #expect(try events.wait(forCount: 2).map(\.told) == [5, 0])
    for round in 1...3 {
      Bytes.put(Array("678".utf8), into: writer)
      let all = try events.wait(forCount: 2 + 2 * round)
      #expect(
        all.suffix(2) == [Event(told: 3, bytes: Array("678".utf8)), Event(told: 0, bytes: [])])
    }
    letRealTimePass(RealTime.settling)
    #expect(events.count == 8)
    try end(source)
    close(writer)
    close(descriptor)
  }

  @Test func nullDeviceIsAtItsEndAtOnce() throws {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    let events = EventLog<Event>()
    let source = Self.reader(of: descriptor, events)
    try #expect(events.wait(forCount: 1)[0].bytes.isEmpty)
    try end(source)
    close(descriptor)
  }

  // MARK: Ends

  /// The source reports the written bytes first, and then the end once.
  @Test func endIsReportedOnceAfterTheBytes() throws {
    try withEvery("kind of ends", in: [Ends.Kind.pipe, .sockets]) { kind in
      let ends = try Ends(kind)
      let events = EventLog<Event>()
      ends.put(Array(1...6))
      ends.closeOutput()
      let source = Self.reader(of: ends.input, atMost: 2, events)
      let all = try events.wait(forCount: 4)
      #expect(all.map(\.told) == [6, 4, 2, 0])
      #expect(all.map(\.bytes) == [[1, 2], [3, 4], [5, 6], []])
      letRealTimePass(RealTime.settling)
      #expect(events.count == 4)
      try end(source)
    }
  }

  @Test func laterEndIsReportedOnce() throws {
    try withEvery("kind of ends", in: [Ends.Kind.pipe, .sockets, .terminal]) { kind in
      let ends = try Ends(kind)
      let events = EventLog<Event>()
      let source = Self.reader(of: ends.input, events)
      ends.put([1, 10])
      try events.wait(forCount: 1)
      ends.closeOutput()
      let all = try events.wait(forCount: 2)
      #expect(all == [Event(told: 2, bytes: [1, 10]), Event(told: 0, bytes: [])])
      letRealTimePass(RealTime.settling)
      #expect(events.count == 2)
      try end(source)
    }
  }

  /// The other direction may still be open for writing.
  @Test func endOfOneDirectionIsReportedOnce() throws {
    let ends = try Ends(.sockets)
    let events = EventLog<Event>()
    let source = Self.reader(of: ends.input, events)
    shutdown(ends.output, Int32(SHUT_WR))
    try #expect(events.wait(forCount: 1) == [Event(told: 0, bytes: [])])
    letRealTimePass(RealTime.settling)
    #expect(events.count == 1)
    Bytes.put([5], into: ends.input)
    #expect(Bytes.take(1, from: ends.output) == [5])
    try end(source)
  }

  /// If the next byte of a socket is urgent, the kernel reports 0 available bytes, whatever
  /// follows. An earlier version took that for the end: it reported the following bytes as the
  /// end, and never the real end.
  @Test(arguments: [false, true])
  func bytesAfterAnUrgentByteAndThenTheEndAreReported(_ isAtItsEnd: Bool) throws {
    var listener: Int32 = -1
    var port: Int32 = 0
    var peer: Int32 = -1
    #expect(csc_listener(&listener, &port) == 0)
    #expect(csc_connect(&peer, port) == 0)
    let descriptor = accept(listener, nil, nil)
    defer { for open in [listener, descriptor] { close(open) } }
    Bytes.put([1, 2], into: peer)
    #expect(send(peer, [255] as [UInt8], 1, Int32(MSG_OOB)) == 1)
    Bytes.put([3, 4], into: peer)
    // On a busy machine the bytes arrive a while later.
    let limit = Uptime.now() + RealTime.wedge
    while csc_bytes_on_their_way(peer) > 0 && Uptime.now() < limit {
      letRealTimePass(.milliseconds(1))
    }
    #expect(csc_bytes_on_their_way(peer) == 0)
    if isAtItsEnd { close(peer) }
    let events = EventLog<Event>()
    let source = Self.reader(of: descriptor, events)
    let bytes = [Event(told: 2, bytes: [1, 2]), Event(told: 1, bytes: [3, 4])]
    try #expect(events.wait(forCount: 2).prefix(2) == bytes[...])
    if !isAtItsEnd { close(peer) }
    try #expect(events.wait(forCount: 3) == bytes + [Event(told: 0, bytes: [])])
    letRealTimePass(RealTime.settling)
    #expect(events.count == 3)
    try end(source)
  }

  @Test func sourceOfAChannelThatIsAtItsEndMayBeCancelled() throws {
    try withEvery("kind of ends", in: Ends.Kind.allCases) { kind in
      let ends = try Ends(kind)
      ends.closeOutput()
      let source = DispatchSource.makeReadSource(
        fileDescriptor: ends.input, queue: DispatchQueue(label: "test.end"))
      source.setEventHandler {}
      source.activate()
      letRealTimePass(.milliseconds(2))
      try end(source)
    }
  }

  // MARK: What the source leaves alone

  @Test func flagsOfTheDescriptorStayAsTheyAre() throws {
    try withEvery("kind of ends", in: Ends.Kind.allCases) { kind in
      let ends = try Ends(kind)
      let status = fcntl(ends.input, F_GETFL)
      let flags = fcntl(ends.input, F_GETFD)
      let events = EventLog<Event>()
      let source = Self.reader(of: ends.input, events)
      ends.put([1, 10])
      try events.wait(forCount: 1)
      #expect(fcntl(ends.input, F_GETFL) == status)
      try end(source)
      #expect(fcntl(ends.input, F_GETFL) == status)
      #expect(fcntl(ends.input, F_GETFD) == flags)
    }
  }

  @Test func nothingIsReadUnlessTheHandlerReads() throws {
    let ends = try Ends()
    let source = DispatchSource.makeReadSource(
      fileDescriptor: ends.input, queue: DispatchQueue(label: "test.untouched"))
    let told = Gate("told")
    let shared = Shared(source)
    source.setEventHandler {
      shared.value.cancel()
      told.open()
    }
    source.activate()
    ends.put([1, 2, 3])
    try told.wait()
    #expect(ends.take() == [1, 2, 3])
  }
}
