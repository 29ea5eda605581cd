// IOStreamTests — stream channels, by Apple's documentation of DispatchIO.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct IOStreamTests {
  let queue = DispatchQueue(label: "test.io")

  /// - Parameter ends: Stay open as long as the channel needs one of them.
  private func channel(_ descriptor: Int32, of ends: Ends? = nil, low: Int = 1) -> DispatchIO {
    let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { _ in
      withExtendedLifetime(ends) {}
    }
    channel.setLimit(lowWater: low)
    return channel
  }

  enum Kind: CaseIterable, Sendable {
    case pipe, sockets, terminal

    func make() throws -> Ends {
      switch self {
      case .pipe: try Ends(.pipe)
      case .sockets: try Ends(.sockets)
      case .terminal: try Ends(.screen)
      }
    }

    /// More bytes than the kernel keeps between the ends. A pseudo-terminal keeps 12 KiB. The
    /// library writes 256 bytes to it for each event, so more would only take longer.
    var moreThanFits: Int { self == .terminal ? 60_000 : 600_000 }
  }

  // MARK: Files

  @Test(arguments: [0, 1, 17, 512 * 1024, 3 * 1024 * 1024 + 17])
  func fileIsReadToItsEnd(_ size: Int) throws {
    let file = try TemporaryFile(numbered(size))
    defer { file.close() }
    let log = IOLog()
    channel(file.descriptor).read(offset: 0, length: .max, queue: .global(), ioHandler: log.handle)
    let calls = try log.wait()
    #expect(calls.last == Told(true, [], 0))
    #expect(calls.dropLast().allSatisfy { !$0.done && $0.error == 0 && $0.bytes?.isEmpty == false })
    #expect(log.bytes == numbered(size))
    #expect(!log.overlapped)
  }

  @Test func lengthIsRead() throws {
    let file = try TemporaryFile(numbered(100))
    defer { file.close() }
    let channel = channel(file.descriptor)
    let logs = (0..<3).map { _ in IOLog() }
    for log in logs { channel.read(offset: 7, length: 40, queue: queue, ioHandler: log.handle) }
    #expect(try logs[0].wait() == [Told(true, Array(numbered(40)), 0)])
    #expect(try logs[1].wait() == [Told(true, numbered(40, from: 40), 0)])
    #expect(
      try logs[2].wait() == [Told(false, numbered(20, from: 80), 0), Told(true, [], 0)])
  }

  /// C's SIZE_MAX is -1 here.
  @Test(arguments: [Int.max, -1, Int.min])
  func anUnlimitedLengthMeansUntilTheEnd(_ length: Int) throws {
    let file = try TemporaryFile(numbered(10))
    defer { file.close() }
    let log = IOLog()
    channel(file.descriptor).read(offset: 0, length: length, queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(false, numbered(10), 0), Told(true, [], 0)])
  }

  @Test func emptyReadsAndWritesTakeTheirTurn() throws {
    let ends = try Ends(.pipe)
    let (reader, writer) = (channel(ends.input, of: ends), channel(ends.output, of: ends))
    let logs = (0..<3).map { _ in IOLog() }
    reader.read(offset: 0, length: 3, queue: queue, ioHandler: logs[0].handle)
    reader.read(offset: 0, length: 0, queue: queue, ioHandler: logs[1].handle)
    letRealTimePass(RealTime.settling)
    #expect(logs[1].all.isEmpty)
    writer.write(offset: 0, data: .empty, queue: queue, ioHandler: logs[2].handle)
    #expect(try logs[2].wait() == [Told(true, nil, 0)])
    ends.put([1, 2, 3])
    #expect(try logs[0].wait().last == Told(true, [1, 2, 3], 0))
    #expect(try logs[1].wait() == [Told(true, [], 0)])
  }

  @Test func fileIsWritten() throws {
    let file = try TemporaryFile([])
    defer { file.close() }
    let channel = channel(file.descriptor)
    let log = IOLog()
    var data = DispatchData(numbered(1_000_000))
    data.append(DispatchData(numbered(1_000_000, from: 1_000_000)))
    channel.write(offset: 0, data: data, queue: .global(), ioHandler: log.handle)
    let calls = try log.wait()
    #expect(calls.last == Told(true, nil, 0))
    #expect(file.contents == numbered(2_000_000))
    // Each intermediate call receives the data that is left to write.
    for call in calls.dropLast() {
      #expect(call.bytes == numbered(call.bytes!.count, from: 2_000_000 - call.bytes!.count))
    }
  }

  /// 100,000 pieces of one byte need few system calls, not one each.
  @Test func manyPiecesAreWritten() throws {
    let file = try TemporaryFile([])
    defer { file.close() }
    var data = DispatchData.empty
    for byte in numbered(100_000) {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
      memory.storeBytes(of: byte, as: UInt8.self)
      data.append(
        DispatchData(
          bytesNoCopy: UnsafeRawBufferPointer(start: memory, count: 1),
          deallocator: .custom(nil, { memory.deallocate() })))
    }
    let log = IOLog()
    channel(file.descriptor, low: .max).write(
      offset: 0, data: data, queue: queue, ioHandler: log.handle)
    try log.wait()
    #expect(file.contents == numbered(100_000))
  }

  // MARK: Pipes, sockets and terminals

  @Test(arguments: Kind.allCases)
  func bytesAreReportedAsTheyArrive(_ kind: Kind) throws {
    let ends = try kind.make()
    let log = IOLog()
    channel(ends.input, of: ends).read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    for number in 1...5 {
      ends.put([UInt8(number), UInt8(number)])
      try log.wait("\(2 * number) bytes") { $0.flatMap { $0.bytes ?? [] }.count == 2 * number }
    }
    #expect(log.all.allSatisfy { !$0.done })
    ends.closeOutput()
    let last = try log.wait().last!
    // A terminal reports an error of its own when its other end is gone.
    #expect(last == (kind == .terminal ? Told(true, nil, EIO) : Told(true, [], 0)))
    #expect(log.bytes == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
  }

  @Test(arguments: Kind.allCases)
  func moreThanFitsIsWritten(_ kind: Kind) throws {
    let ends = try kind.make()
    let size = kind.moreThanFits
    let reader = Guarded<[UInt8]>([])
    let thread = try PlainThread {
      let bytes = ends.takeAll(size)
      reader.withValue { $0 = bytes }
    }
    let channel = channel(ends.output, of: ends, low: .max)
    let logs = (0..<3).map { _ in IOLog() }
    for (number, log) in logs.enumerated() {
      channel.write(
        offset: 0, data: DispatchData(numbered(size / 3, from: number * size / 3)),
        queue: .global(), ioHandler: log.handle)
    }
    for log in logs { #expect(try log.wait().last == Told(true, nil, 0)) }
    try thread.join()
    #expect(reader.current == numbered(size))
  }

  /// Nothing reads: the write waits without a thread and without O_NONBLOCK.
  @Test(arguments: Kind.allCases)
  func flagsOfTheDescriptorAreUnchanged(_ kind: Kind) throws {
    let ends = try kind.make()
    let size = kind.moreThanFits / 2
    let before = [fcntl(ends.input, F_GETFL), fcntl(ends.output, F_GETFL)]
    let (reader, writer) = (
      channel(ends.input, of: ends), channel(ends.output, of: ends, low: .max)
    )
    let (reads, writes) = (IOLog(), IOLog())
    writer.write(
      offset: 0, data: DispatchData(numbered(size)), queue: queue, ioHandler: writes.handle)
    letRealTimePass(RealTime.settling)
    #expect([fcntl(ends.input, F_GETFL), fcntl(ends.output, F_GETFL)] == before)
    reader.read(offset: 0, length: size, queue: queue, ioHandler: reads.handle)
    try writes.wait()
    try reads.wait()
    #expect(reads.bytes == numbered(size))
    #expect([fcntl(ends.input, F_GETFL), fcntl(ends.output, F_GETFL)] == before)
  }

  @Test func bothDirectionsOfASocketWorkAtOnce() throws {
    let ends = try Ends(.sockets)
    let (left, right) = (channel(ends.input, of: ends), channel(ends.output, of: ends))
    let (reads, writes, echo) = (IOLog(), IOLog(), IOLog())
    let size = 400_000
    // The read waits all the time that the write needs.
    left.read(offset: 0, length: size, queue: queue, ioHandler: reads.handle)
    left.write(
      offset: 0, data: DispatchData(numbered(size)), queue: queue, ioHandler: writes.handle)
    right.read(offset: 0, length: size, queue: queue) { done, data, error in
      echo.handle(done, data, error)
      if let data, !data.isEmpty {
        right.write(offset: 0, data: data, queue: DispatchQueue.global()) { _, _, _ in }
      }
    }
    try writes.wait()
    try echo.wait()
    try reads.wait()
    #expect(reads.bytes == numbered(size))
  }

  // MARK: Devices

  @Test func nothingIsReadFromTheNullDevice() throws {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let channel = channel(null)
    let (reads, writes) = (IOLog(), IOLog())
    channel.read(offset: 0, length: 10, queue: queue, ioHandler: reads.handle)
    channel.write(
      offset: 0, data: DispatchData(numbered(300_000)), queue: queue, ioHandler: writes.handle)
    #expect(try reads.wait() == [Told(true, [], 0)])
    #expect(try writes.wait().last == Told(true, nil, 0))
    channel.close()
  }

  @Test func aDeviceWithoutEndIsRead() throws {
    let zero = open("/dev/zero", O_RDONLY | O_CLOEXEC)
    defer { close(zero) }
    let log = IOLog()
    let channel = channel(zero)
    channel.read(offset: 0, length: 1_000_000, queue: queue, ioHandler: log.handle)
    #expect(try log.wait().last?.error == 0)
    #expect(log.bytes == [UInt8](repeating: 0, count: 1_000_000))
  }

  @Test func aFullDeviceIsReported() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    let log = IOLog()
    channel(full).write(
      offset: 0, data: DispatchData([1, 2, 3]), queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(true, [1, 2, 3], ENOSPC)])
  }

  // MARK: Errors

  @Test(arguments: [Kind.pipe, .sockets])
  func aMissingReaderIsAnErrorWithoutASignal(_ kind: Kind) throws {
    let ends = try kind.make()
    try ends.closeLastInput()
    let log = IOLog()
    channel(ends.output, of: ends).write(
      offset: 0, data: DispatchData([1, 2, 3]), queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(true, [1, 2, 3], EPIPE)])
  }

  @Test func aReaderThatClosesLeavesTheRestUnwritten() throws {
    let ends = try Ends(.pipe)
    let log = IOLog()
    channel(ends.output, of: ends, low: 1_000_000).write(
      offset: 0, data: DispatchData(numbered(300_000)), queue: queue, ioHandler: log.handle)
    let taken = ends.takeAll(1_000)
    #expect(taken == numbered(1_000))
    ends.closeInput()
    let last = try log.wait().last!
    #expect(last.error == EPIPE && last.done)
    let rest = try #require(last.bytes)
    #expect(rest.count <= 299_000 && rest == numbered(rest.count, from: 300_000 - rest.count))
  }

  @Test func theWrongDirectionFailsOnlyThatOperation() throws {
    let ends = try Ends(.pipe)
    let (wrong, right) = (IOLog(), IOLog())
    let channel = channel(ends.input, of: ends)
    defer { channel.close(flags: .stop) }
    channel.write(offset: 0, data: DispatchData([1]), queue: queue, ioHandler: wrong.handle)
    #expect(try wrong.wait() == [Told(true, [1], EBADF)])
    channel.read(offset: 0, length: 1, queue: queue, ioHandler: right.handle)
    ends.put([9])
    #expect(try right.wait() == [Told(true, [9], 0)])
  }
}
