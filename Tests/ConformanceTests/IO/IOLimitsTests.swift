// IOLimitsTests — how much data a handler receives at a time, and how often.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct IOLimitsTests {
  let queue = DispatchQueue(label: "test.io.limits")

  /// - Parameter ends: Stay open as long as the channel needs one of them.
  private func channel(_ descriptor: Int32, of ends: Ends? = nil) -> DispatchIO {
    DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { _ in
      withExtendedLifetime(ends) {}
    }
  }

  @Test(arguments: [1, 7, 4_096])
  func atMostTheHighWaterMarkIsReported(_ high: Int) throws {
    let file = try TemporaryFile(numbered(high * 20))
    defer { file.close() }
    let channel = channel(file.descriptor)
    channel.setLimit(highWater: high)
    let log = IOLog()
    channel.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    let calls = try log.wait()
    #expect(log.bytes == numbered(high * 20))
    #expect(calls.allSatisfy { $0.bytes!.count <= high })
  }

  @Test func highWaterMarkOfZeroMeansOneByte() throws {
    let file = try TemporaryFile(numbered(3))
    defer { file.close() }
    let channel = channel(file.descriptor)
    channel.setLimit(highWater: 0)
    let log = IOLog()
    channel.read(offset: 0, length: 3, queue: queue, ioHandler: log.handle)
    #expect(
      try log.wait() == [
        Told(false, [numbered(3)[0]], 0), Told(false, [numbered(3)[1]], 0),
        Told(true, [numbered(3)[2]], 0),
      ])
  }

  @Test func lessThanTheLowWaterMarkIsNotReported() throws {
    let ends = try Ends(.pipe)
    let channel = channel(ends.input, of: ends)
    defer { channel.close(flags: .stop) }
    channel.setLimit(lowWater: 10)
    let log = IOLog()
    channel.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    ends.put(numbered(9))
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    ends.put(numbered(3, from: 9))
    let first = try log.wait("a call") { !$0.isEmpty }[0]
    #expect(!first.done && first.bytes!.count >= 10)
    ends.put(numbered(5, from: 12))
    ends.closeOutput()
    #expect(try log.wait().last == Told(true, [], 0))
    #expect(log.bytes == numbered(17))
  }

  /// Setting one mark moves the other if they would cross.
  @Test func marksDoNotCross() throws {
    let ends = try Ends(.pipe)
    let channel = channel(ends.input, of: ends)
    defer { channel.close(flags: .stop) }
    channel.setLimit(lowWater: 100)
    channel.setLimit(highWater: 4)
    let log = IOLog()
    channel.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    ends.put(numbered(8))
    try log.wait("two calls") { $0.count == 2 }
    #expect(log.all == [Told(false, numbered(4), 0), Told(false, numbered(4, from: 4), 0)])
  }

  /// An operation uses the limits of the moment when it is submitted.
  @Test func limitsApplyToLaterOperations() throws {
    let ends = try Ends(.pipe)
    let channel = channel(ends.input, of: ends)
    defer { channel.close(flags: .stop) }
    channel.setLimit(lowWater: 4)
    let (first, second) = (IOLog(), IOLog())
    channel.read(offset: 0, length: 8, queue: queue, ioHandler: first.handle)
    channel.setLimit(lowWater: 1)
    channel.read(offset: 0, length: 8, queue: queue, ioHandler: second.handle)
    ends.put([1, 2])
    letRealTimePass(RealTime.settling)
    #expect(first.all.isEmpty)
    ends.put([3, 4, 5, 6, 7, 8])
    try first.wait()
    #expect(first.bytes == [1, 2, 3, 4, 5, 6, 7, 8])
    ends.put([9])
    try second.wait("one byte") { $0.count == 1 }
  }

  @Test func aStrictIntervalReportsFewBytesOrNone() throws {
    let ends = try Ends(.pipe)
    let channel = channel(ends.input, of: ends)
    defer { channel.close(flags: .stop) }
    channel.setInterval(interval: .milliseconds(5), flags: .strictInterval)
    let log = IOLog()
    channel.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    try log.wait("calls about nothing") { $0.count >= 2 }
    #expect(log.all.allSatisfy { $0 == Told(false, [], 0) })
    ends.put([1, 2, 3])
    try log.wait("three bytes") { $0.contains(Told(false, [1, 2, 3], 0)) }
    ends.closeOutput()
    #expect(try log.wait().last == Told(true, [], 0))
    let count = log.all.count
    letRealTimePass(RealTime.settling)
    #expect(log.all.count == count)
  }

  @Test func anIntervalAloneDoesNotReportTooFewBytes() throws {
    let ends = try Ends(.pipe)
    let channel = channel(ends.input, of: ends)
    defer { channel.close(flags: .stop) }
    channel.setInterval(interval: .milliseconds(1))
    let log = IOLog()
    channel.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    ends.put([1, 2, 3])
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    ends.closeOutput()
    #expect(try log.wait() == [Told(false, [1, 2, 3], 0), Told(true, [], 0)])
  }

  @Test(arguments: [DispatchTimeInterval.never, .seconds(0), .seconds(-1), .seconds(.max)])
  func noInterval(_ interval: DispatchTimeInterval) throws {
    let ends = try Ends(.pipe)
    let channel = channel(ends.input, of: ends)
    defer { channel.close(flags: .stop) }
    channel.setInterval(interval: interval, flags: .strictInterval)
    let log = IOLog()
    channel.read(offset: 0, length: .max, queue: queue, ioHandler: log.handle)
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    ends.closeOutput()
    #expect(try log.wait() == [Told(true, [], 0)])
  }

  /// A file is not read into memory while the handler has not returned.
  @Test func readingPausesWhileItsHandlerDoesNotReturn() throws {
    let size = 16 * 1024 * 1024
    let file = try TemporaryFile([UInt8](repeating: 1, count: size))
    defer { file.close() }
    let gate = Gate()
    let total = Guarded(0)
    let done = EventCounter("last calls")
    let channel = channel(file.descriptor)
    channel.read(offset: 0, length: .max, queue: queue) { isDone, data, _ in
      gate.pass()
      total.withValue { $0 += data?.count ?? 0 }
      if isDone { done.increment() }
    }
    letRealTimePass(RealTime.settling)
    #expect(lseek(file.descriptor, 0, SEEK_CUR) <= 4 * 1024 * 1024)
    gate.open()
    try done.wait(for: 1)
    #expect(total.current == size)
  }

  @Test func handlersOnAConcurrentQueueKeepTheirOrder() throws {
    let file = try TemporaryFile(numbered(100_000))
    defer { file.close() }
    let channel = channel(file.descriptor)
    channel.setLimit(highWater: 100)
    let logs = (0..<2).map { _ in IOLog() }
    for log in logs {
      channel.read(offset: 0, length: 50_000, queue: .global(), ioHandler: log.handle)
    }
    for log in logs { try log.wait() }
    #expect(logs[0].bytes + logs[1].bytes == numbered(100_000))
    #expect(logs.allSatisfy { !$0.overlapped })
  }
}
