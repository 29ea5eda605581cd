// IOEndTests — how channels begin and end, and who owns the descriptor in between.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct IOEndTests {
  let queue = DispatchQueue(label: "test.io.end")

  @Test func cleanupFollowsAllOperationsOnce() throws {
    let ends = try Ends(.pipe)
    let log = EventLog<String>()
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { error in
      log.append("cleanup \(error) \(DispatchQueue.getSpecific(key: key) == true)")
    }
    let gate = Gate()
    for number in 1...2 {
      channel.read(offset: 0, length: 1, queue: .global()) { done, _, error in
        if number == 2 { gate.pass() }
        log.append("read \(number) \(error)")
      }
    }
    channel.close()
    channel.close()
    channel.read(offset: 0, length: 1, queue: .global()) { done, data, error in
      log.append("late \(done) \(data == nil) \(error)")
    }
    #expect(channel.fileDescriptor == -1)
    #expect(try log.wait(forCount: 1) == ["late true true \(ECANCELED)"])
    ends.put([1, 2])
    try log.wait(forCount: 2)
    letRealTimePass(RealTime.settling)
    #expect(log.count == 2)
    gate.open()
    #expect(
      try log.wait(forCount: 4).dropFirst() == ["read 1 0", "read 2 0", "cleanup 0 true"])
    channel.close(flags: .stop)
    queue.sync {}
    letRealTimePass(RealTime.settling)
    #expect(log.count == 4)
  }

  @Test func operationsContinueWithoutTheirObject() throws {
    let ends = try Ends(.pipe)
    let (log, cleanup) = (IOLog(), EventLog<Int32>())
    func begin() {
      let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) {
        cleanup.append($0)
      }
      channel.read(offset: 0, length: 3, queue: queue, ioHandler: log.handle)
    }
    begin()
    letRealTimePass(RealTime.settling)
    #expect(cleanup.count == 0)
    ends.put([1, 2, 3])
    #expect(try log.wait().last?.done == true)
    #expect(log.bytes == [1, 2, 3])
    #expect(try cleanup.wait(forCount: 1) == [0])
  }

  @Test func aStopReportsWhatArrivedAndEndsTheRest() throws {
    let ends = try Ends(.pipe)
    let cleanup = EventLog<Int32>()
    let logs = (0..<4).map { _ in IOLog() }
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) {
      cleanup.append($0)
    }
    channel.read(offset: 0, length: 2, queue: queue, ioHandler: logs[0].handle)
    channel.read(offset: 0, length: 10, queue: queue, ioHandler: logs[1].handle)
    channel.read(offset: 0, length: 10, queue: queue, ioHandler: logs[2].handle)
    ends.put([1, 2, 3])
    try logs[0].wait()
    var left: Int32 = 1
    while left > 0 { _ = ioctl(ends.input, UInt(FIONREAD), &left) }
    channel.close(flags: .stop)
    channel.read(offset: 0, length: 1, queue: queue, ioHandler: logs[3].handle)
    #expect(try logs[1].wait() == [Told(false, [3], 0), Told(true, nil, ECANCELED)])
    #expect(try logs[2].wait() == [Told(true, nil, ECANCELED)])
    #expect(try logs[3].wait() == [Told(true, nil, ECANCELED)])
    #expect(try cleanup.wait(forCount: 1) == [0])
  }

  @Test func aStoppedWriteKeepsTheRest() throws {
    let ends = try Ends(.pipe)
    let log = IOLog()
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.output, queue: queue) { _ in
      ends.closeOutput()
    }
    channel.write(
      offset: 0, data: DispatchData(numbered(500_000)), queue: queue, ioHandler: log.handle)
    _ = ends.takeAll(1)
    channel.close(flags: .stop)
    let rest = try #require(try log.wait().last?.bytes)
    #expect(log.all.last?.error == ECANCELED)
    // The written bytes and the remaining bytes add up to everything.
    let written = ends.takeAll(500_000).count + 1
    #expect(rest == numbered(500_000 - written, from: written))
  }

  @Test func aStopAffectsOneChannelOnly() throws {
    let ends = try Ends(.pipe)
    let (first, second, order) = (IOLog(), IOLog(), EventLog<Int>())
    let one = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in
      order.append(1)
    }
    let other = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in
      order.append(2)
    }
    one.read(offset: 0, length: 1, queue: queue, ioHandler: first.handle)
    other.read(offset: 0, length: 1, queue: queue, ioHandler: second.handle)
    one.close(flags: .stop)
    #expect(try first.wait() == [Told(true, nil, ECANCELED)])
    letRealTimePass(RealTime.settling)
    // The descriptor is in use as long as the other channel exists.
    #expect(order.count == 0)
    ends.put([7])
    #expect(try second.wait() == [Told(true, [7], 0)])
    other.close()
    #expect(try order.wait(forCount: 2) == [1, 2])
  }

  @Test func theDescriptorIsFreeInTheCleanupHandler() throws {
    for _ in 0..<20 {
      let ends = try Ends(.pipe)
      let log = IOLog()
      let closed = EventCounter("closed")
      let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in
        ends.closeInput()
        closed.increment()
      }
      channel.read(offset: 0, length: 1, queue: queue, ioHandler: log.handle)
      channel.close(flags: .stop)
      try closed.wait(for: 1)
      #expect(log.all == [Told(true, nil, ECANCELED)])
    }
  }

  // MARK: Unusable descriptors

  @Test(arguments: [-1, Int32.min, 1_000_000])
  func anInvalidDescriptorIsRefused(_ number: Int32) throws {
    let (cleanup, log) = (EventLog<Int32>(), IOLog())
    let channel = DispatchIO(type: .stream, fileDescriptor: number, queue: queue) {
      cleanup.append($0)
    }
    #expect(try cleanup.wait(forCount: 1) == [EBADF])
    channel.write(offset: 0, data: DispatchData([1]), queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(true, [1], EBADF)])
    #expect(channel.fileDescriptor == -1)
  }

  /// Closing the descriptor is a fault of the program, but nothing waits forever.
  @Test func aDescriptorThatWasClosedEndsItsChannels() throws {
    let file = try TemporaryFile(numbered(10))
    // No other test is likely to get such a high number when it is free again.
    let number = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 700)
    try #require(number >= 700)
    file.close()
    let (cleanup, log) = (EventLog<Int32>(), IOLog())
    let channels = (0..<2).map { _ in
      DispatchIO(type: .stream, fileDescriptor: number, queue: queue) { cleanup.append($0) }
    }
    channels[0].barrier {}
    close(number)
    channels[0].read(offset: 0, length: 1, queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(true, nil, EBADF)])
    #expect(try cleanup.wait(forCount: 2) == [EBADF, EBADF])
  }

  @Test func aDirectoryIsRefused() throws {
    let folder = open("/tmp", O_RDONLY | O_CLOEXEC)
    defer { close(folder) }
    let cleanup = EventLog<Int32>()
    _ = DispatchIO(type: .stream, fileDescriptor: folder, queue: queue) { cleanup.append($0) }
    #expect(try cleanup.wait(forCount: 1) == [EISDIR])
  }

  // MARK: Paths

  private func openLater(
    _ path: String, _ flags: Int32, as type: DispatchIO.StreamType = .stream,
    _ cleanup: EventLog<Int32>
  ) -> DispatchIO? {
    DispatchIO(
      type: type, path: path, oflag: flags, mode: 0o600, queue: queue,
      cleanupHandler: { cleanup.append($0) })
  }

  @Test(arguments: ["", "name", "./name", "../name"])
  func aPathMustBeAbsolute(_ path: String) {
    #expect(openLater(path, O_RDONLY, EventLog()) == nil)
  }

  @Test func aFileIsOpenedByTheFirstOperation() throws {
    let folder = try TemporaryFolder()
    let cleanup = EventLog<Int32>()
    let path = folder.path + "/new"
    let channel = try #require(openLater(path, O_CREAT | O_RDWR, cleanup))
    letRealTimePass(RealTime.settling)
    #expect(access(path, F_OK) != 0)
    #expect(channel.fileDescriptor == -1)
    let log = IOLog()
    channel.write(offset: 0, data: DispatchData([1, 2]), queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(true, nil, 0)])
    #expect(access(path, F_OK) == 0)
    let number = channel.fileDescriptor
    #expect(number >= 0)
    channel.close()
    #expect(try cleanup.wait(forCount: 1) == [0])
    #expect(channel.fileDescriptor == -1)

    let again = try #require(openLater(path, O_RDONLY, as: .random, cleanup))
    let copy = DispatchIO(type: .stream, io: again, queue: queue) { cleanup.append($0) }
    let logs = (IOLog(), IOLog())
    again.read(offset: 1, length: .max, queue: queue, ioHandler: logs.0.handle)
    copy.read(offset: 1, length: .max, queue: queue, ioHandler: logs.1.handle)
    try logs.0.wait()
    try logs.1.wait()
    #expect(logs.0.bytes == [2])
    #expect(logs.1.bytes == [1, 2])
    #expect(again.fileDescriptor != copy.fileDescriptor)
  }

  @Test func aMissingFileIsReportedAtOnce() throws {
    let folder = try TemporaryFolder()
    for (path, flags) in [("/none", O_RDONLY), ("/no/folder", O_RDWR | O_CREAT)] {
      let (cleanup, log) = (EventLog<Int32>(), IOLog())
      let channel = try #require(openLater(folder.path + path, flags, cleanup))
      #expect(try cleanup.wait(forCount: 1) == [ENOENT])
      channel.read(offset: 0, length: 1, queue: queue, ioHandler: log.handle)
      #expect(try log.wait() == [Told(true, nil, ENOENT)])
      channel.close(flags: .stop)
      queue.sync {}
      #expect(cleanup.count == 1)
    }
  }

  @Test func aFileThatCannotBeOpenedEndsTheChannel() throws {
    let folder = try TemporaryFolder()
    try folder.write("there", "x")
    let (cleanup, logs) = (EventLog<Int32>(), (0..<2).map { _ in IOLog() })
    let channel = try #require(
      openLater(folder.path + "/there", O_CREAT | O_EXCL | O_RDWR, cleanup))
    for log in logs {
      channel.read(offset: 0, length: 1, queue: queue, ioHandler: log.handle)
    }
    for log in logs { #expect(try log.wait() == [Told(true, nil, EEXIST)]) }
    #expect(try cleanup.wait(forCount: 1) == [EEXIST])
  }

  /// The process has as many descriptors as it may have.
  @Test func noDescriptorIsLeftForAFile() async {
    await #expect(processExitsWith: .success) {
      let (cleanup, log) = (EventLog<Int32>(), IOLog())
      let queue = DispatchQueue(label: "test.io.limit")
      let first = DispatchSemaphore(value: 0)
      queue.async { first.signal() }
      DispatchQueue.global().async { first.signal() }
      first.wait()
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 0
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let channel = DispatchIO(
        type: .stream, path: "/proc/self/stat", oflag: O_RDONLY, mode: 0, queue: queue,
        cleanupHandler: { cleanup.append($0) })
      channel?.read(offset: 0, length: 1, queue: queue, ioHandler: log.handle)
      guard try log.wait() == [Told(true, nil, EMFILE)] else { exit(1) }
      guard try cleanup.wait(forCount: 1) == [EMFILE] else { exit(2) }
    }
  }

  /// A pipe without a writer has not ended, and no thread waits for the writer.
  @Test func aNamedPipeIsReadOnceItHasAWriter() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let (cleanup, log) = (EventLog<Int32>(), IOLog())
    let channel = try #require(openLater(path, O_RDONLY, cleanup))
    channel.setLimit(lowWater: 1)
    channel.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    let writer = open(path, O_WRONLY | O_CLOEXEC)
    _ = withUnsafeBytes(of: UInt16(0)) { Glibc.write(writer, $0.baseAddress!, 2) }
    close(writer)
    try log.wait()
    #expect(log.all == [Told(false, [0, 0], 0), Told(true, [], 0)])
  }

  @Test func aNamedPipeWithoutReadersIsNotWaitedFor() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let (cleanup, log) = (EventLog<Int32>(), IOLog())
    let channel = try #require(openLater(path, O_WRONLY, cleanup))
    channel.write(offset: 0, data: DispatchData([1]), queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(true, [1], ENXIO)])
    #expect(try cleanup.wait(forCount: 1) == [ENXIO])
  }

  /// The end of a pipe that only writes is never readable, so a read must not wait for that.
  @Test func aNamedPipeThatIsOpenForWritingCannotBeRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let (cleanup, log) = (EventLog<Int32>(), IOLog())
    let channel = try #require(openLater(path, O_WRONLY, cleanup))
    channel.read(offset: 0, length: 1, queue: queue, ioHandler: log.handle)
    #expect(try log.wait().last?.error == EBADF)
    channel.close()
    #expect(try cleanup.wait(forCount: 1) == [0])
  }

  /// A barrier runs on a channel that has ended too, but the file stays closed.
  @Test func aBarrierAfterTheEndOpensNoFile() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/file"
    let cleanup = EventLog<Int32>()
    let channel = try #require(openLater(path, O_WRONLY | O_CREAT, cleanup))
    channel.close()
    try cleanup.wait(forCount: 1)
    let isOver = Gate("the barrier")
    channel.barrier { isOver.open() }
    try isOver.wait()
    #expect(access(path, F_OK) == -1)
    #expect(channel.fileDescriptor == -1)
  }

  // MARK: Channels of channels

  @Test func aChannelOfAClosedOneIsCancelled() throws {
    let file = try TemporaryFile([1])
    defer { file.close() }
    let (cleanup, log) = (EventLog<Int32>(), IOLog())
    let channel = DispatchIO(type: .stream, fileDescriptor: file.descriptor, queue: queue) { _ in }
    channel.close()
    let other = DispatchIO(type: .random, io: channel, queue: queue) { cleanup.append($0) }
    #expect(try cleanup.wait(forCount: 1) == [ECANCELED])
    other.read(offset: 0, length: 1, queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(true, nil, ECANCELED)])
  }

  @Test func channelsOfADescriptorTakeTurns() throws {
    let file = try TemporaryFile(numbered(100))
    defer { file.close() }
    let stream = DispatchIO(type: .stream, fileDescriptor: file.descriptor, queue: queue) { _ in }
    let random = DispatchIO(type: .random, io: stream, queue: queue) { _ in }
    let logs = (0..<3).map { _ in IOLog() }
    stream.read(offset: 0, length: 60, queue: queue, ioHandler: logs[0].handle)
    random.read(offset: 90, length: 5, queue: queue, ioHandler: logs[1].handle)
    stream.read(offset: 0, length: 40, queue: queue, ioHandler: logs[2].handle)
    for log in logs { try log.wait() }
    #expect(logs.map { $0.bytes } == [numbered(60), numbered(5, from: 90), numbered(40, from: 60)])
  }

  // MARK: Leaks

  @Test func everythingIsFreed() throws {
    let (tracker, watch) = (LeakTracker(), WeakWatch())
    func use(_ ends: Ends, stops: Bool) throws {
      let object = tracker.makeObject()
      let log = IOLog()
      let channel = watch.watch(
        DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in object.touch() })
      channel.setInterval(interval: .seconds(3_600))
      watch.watch(channel)
      channel.read(offset: 0, length: 10, queue: .global()) { done, data, error in
        object.touch()
        log.handle(done, data, error)
      }
      channel.barrier { object.touch() }
      if stops { channel.close(flags: .stop) } else { ends.put(numbered(10)) }
      try log.wait()
    }
    for ends in [try Ends(.pipe), try Ends(.sockets)] {
      try use(ends, stops: false)
      try use(ends, stops: true)
    }
    try watch.waitUntilAllAreFreed()
    try tracker.waitUntilAllAreFreed()
  }

  @Test func itDescribesItself() throws {
    let ends = try Ends(.pipe)
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in }
    #expect(channel.description.contains("stream"))
    #expect(channel.description.contains("\(ends.input)"))
    #expect(channel == channel && Set([channel]).count == 1)
  }
}
