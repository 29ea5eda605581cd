// IOBarrierTests — barriers of channels.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct IOBarrierTests {
  let queue = DispatchQueue(label: "test.io.barrier")

  @Test func aBarrierWaitsForEarlierOperationsAndDelaysLaterOnes() throws {
    let ends = try Ends(.pipe)
    let log = EventLog<String>()
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in }
    func read(_ name: String) {
      channel.read(offset: 0, length: 1, queue: .global()) { done, _, _ in
        if done { log.append(name) }
      }
    }
    let gate = Gate()
    read("first")
    channel.barrier {
      log.append("barrier")
      gate.pass()
    }
    read("second")
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    ends.put([1, 2])
    try log.wait(forCount: 2)
    letRealTimePass(RealTime.settling)
    #expect(log.all == ["first", "barrier"])
    gate.open()
    #expect(try log.wait(forCount: 3) == ["first", "barrier", "second"])
  }

  @Test func itWaitsForAllRandomOperations() throws {
    let file = try TemporaryFile([])
    defer { file.close() }
    let channel = DispatchIO(type: .random, fileDescriptor: file.descriptor, queue: queue) { _ in }
    let ended = EventCounter("writes")
    let found = Guarded(-1)
    let last = EventCounter("barriers")
    for round in 1...5 {
      for number in 0..<20 {
        channel.write(
          offset: number * 1_000,
          data: DispatchData([UInt8](repeating: UInt8(round), count: 1_000)),
          queue: .global()
        ) { done, _, _ in
          if done { ended.increment() }
        }
      }
      channel.barrier {
        found.withValue { $0 = ended.value }
        #expect(ended.value == 20 * round)
        #expect(file.contents == [UInt8](repeating: UInt8(round), count: 20_000))
        #expect(channel.fileDescriptor == file.descriptor)
        // A barrier may use the descriptor. fsync(2) would wait for whatever the disk has to write.
        #expect(lseek(channel.fileDescriptor, 0, SEEK_END) == 20_000)
        last.increment()
      }
    }
    try last.wait(for: 5)
    #expect(found.current == 100)
  }

  @Test func itHoldsForAllChannelsOfADescriptor() throws {
    let ends = try Ends(.sockets)
    let reader = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in }
    let writer = DispatchIO(type: .stream, io: reader, queue: queue) { _ in }
    let (gate, entered) = (Gate(), Gate())
    let (reads, writes) = (IOLog(), IOLog())
    reader.barrier {
      entered.open()
      gate.pass()
    }
    try entered.wait()
    reader.read(offset: 0, length: 1, queue: queue, ioHandler: reads.handle)
    writer.write(offset: 0, data: DispatchData([1]), queue: queue, ioHandler: writes.handle)
    ends.put([2])
    letRealTimePass(RealTime.settling)
    #expect(reads.all.isEmpty && writes.all.isEmpty)
    gate.open()
    #expect(try reads.wait() == [Told(true, [2], 0)])
    #expect(try writes.wait() == [Told(true, nil, 0)])
  }

  @Test func itRunsOnAClosedChannelBeforeItsCleanup() throws {
    let file = try TemporaryFile([])
    defer { file.close() }
    let log = EventLog<String>()
    let channel = DispatchIO(type: .stream, fileDescriptor: file.descriptor, queue: queue) { _ in
      log.append("cleanup")
    }
    let gate = Gate()
    channel.barrier {
      gate.pass()
      log.append("first")
    }
    channel.close(flags: .stop)
    channel.barrier { log.append("second") }
    gate.open()
    #expect(try log.wait(forCount: 3) == ["first", "second", "cleanup"])
  }

  @Test func itFindsTheFileOfAPathOpen() throws {
    let folder = try TemporaryFolder()
    let number = EventLog<Int32>()
    let channel = try #require(
      DispatchIO(
        type: .stream, path: folder.path + "/new", oflag: O_CREAT | O_RDWR, mode: 0o600,
        queue: queue, cleanupHandler: { _ in }))
    #expect(channel.fileDescriptor == -1)
    channel.barrier { number.append(channel.fileDescriptor) }
    let found = try number.wait(forCount: 1)[0]
    #expect(found >= 0 && fcntl(found, F_GETFD) == FD_CLOEXEC)
    #expect(channel.fileDescriptor == found)
  }
}
