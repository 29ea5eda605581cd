// IORandomTests — random-access channels, by Apple's documentation of DispatchIO.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct IORandomTests {
  let queue = DispatchQueue(label: "test.io.random")

  private func channel(_ descriptor: Int32) -> DispatchIO {
    DispatchIO(type: .random, fileDescriptor: descriptor, queue: queue) { _ in }
  }

  @Test func offsetsAreRelativeToTheFilesPosition() throws {
    let file = try TemporaryFile(numbered(1_000))
    defer { file.close() }
    lseek(file.descriptor, 100, SEEK_SET)
    let channel = channel(file.descriptor)
    // Moving the file offset afterwards changes nothing.
    lseek(file.descriptor, 700, SEEK_SET)
    let logs = [0, 50, 890, 900, 5_000].map { offset in
      let log = IOLog()
      channel.read(offset: offset, length: 20, queue: queue, ioHandler: log.handle)
      return log
    }
    #expect(try logs[0].wait() == [Told(true, numbered(20, from: 100), 0)])
    #expect(try logs[1].wait() == [Told(true, numbered(20, from: 150), 0)])
    for log in logs { try log.wait() }
    #expect(logs[2].bytes == numbered(10, from: 990))
    #expect(logs[2].all.last == Told(true, [], 0))
    #expect(logs[3].all == [Told(true, [], 0)])
    #expect(logs[4].all == [Told(true, [], 0)])
    #expect(lseek(file.descriptor, 0, SEEK_CUR) == 700)
  }

  @Test func negativePositionsAreRefused() throws {
    let file = try TemporaryFile(numbered(100))
    defer { file.close() }
    lseek(file.descriptor, 50, SEEK_SET)
    let channel = channel(file.descriptor)
    for offset in [-51, Int.min, Int.max] {
      let (reads, writes) = (IOLog(), IOLog())
      channel.read(offset: offset, length: 1, queue: queue, ioHandler: reads.handle)
      channel.write(
        offset: offset, data: DispatchData([1]), queue: queue, ioHandler: writes.handle)
      #expect(try reads.wait() == [Told(true, nil, EINVAL)])
      #expect(try writes.wait() == [Told(true, [1], EINVAL)])
    }
    let log = IOLog()
    channel.read(offset: -50, length: 3, queue: queue, ioHandler: log.handle)
    #expect(try log.wait() == [Told(true, numbered(3), 0)])
    #expect(file.contents == numbered(100))
  }

  @Test func piecesAreWrittenAtTheirOffsets() throws {
    let (piece, count) = (10_000, 50)
    let file = try TemporaryFile([])
    defer { file.close() }
    let channel = channel(file.descriptor)
    let logs = (0..<count).map { _ in IOLog() }
    for number in (0..<count).reversed() {
      channel.write(
        offset: number * piece, data: DispatchData(numbered(piece, from: number * piece)),
        queue: .global(), ioHandler: logs[number].handle)
    }
    for log in logs { #expect(try log.wait().last == Told(true, nil, 0)) }
    #expect(file.contents == numbered(piece * count))
  }

  @Test func manyReadsRunConcurrently() throws {
    let size = 4 * 1024 * 1024
    let file = try TemporaryFile(numbered(size))
    defer { file.close() }
    let channel = channel(file.descriptor)
    let part = size / 16
    let logs = (0..<16).map { _ in IOLog() }
    for (number, log) in logs.enumerated() {
      channel.read(
        offset: number * part, length: part, queue: .global(), ioHandler: log.handle)
    }
    for (number, log) in logs.enumerated() {
      try log.wait()
      #expect(log.bytes == numbered(part, from: number * part))
    }
  }

  @Test func aDescriptorWithoutPositionsIsRefused() throws {
    for ends in [try Ends(.pipe), try Ends(.sockets)] {
      let (cleanup, log) = (EventLog<Int32>(), IOLog())
      let channel = DispatchIO(type: .random, fileDescriptor: ends.input, queue: queue) {
        cleanup.append($0)
      }
      #expect(try cleanup.wait(forCount: 1) == [ESPIPE])
      channel.read(offset: 0, length: 1, queue: queue, ioHandler: log.handle)
      #expect(try log.wait() == [Told(true, nil, ESPIPE)])
      channel.close()
      queue.sync {}
      #expect(cleanup.count == 1)
    }
  }
}
