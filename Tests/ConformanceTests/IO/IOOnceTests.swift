// IOOnceTests — one read or one write of a descriptor.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct IOOnceTests {
  let queue = DispatchQueue(label: "test.io.once")

  private func read(_ descriptor: Int32, _ length: Int) -> EventLog<Told> {
    let log = EventLog<Told>()
    DispatchIO.read(fromFileDescriptor: descriptor, maxLength: length, runningHandlerOn: queue) {
      log.append(Told(true, Array($0), $1))
    }
    return log
  }

  private func write(_ descriptor: Int32, _ bytes: [UInt8]) -> EventLog<Told> {
    let log = EventLog<Told>()
    DispatchIO.write(
      toFileDescriptor: descriptor, data: DispatchData(bytes), runningHandlerOn: queue
    ) {
      log.append(Told(true, $0.map { Array($0) }, $1))
    }
    return log
  }

  @Test func aFileIsReadFromItsPosition() throws {
    let file = try TemporaryFile(numbered(2_000_000))
    defer { file.close() }
    lseek(file.descriptor, 10, SEEK_SET)
    #expect(
      try read(file.descriptor, 5).wait(forCount: 1) == [Told(true, numbered(5, from: 10), 0)])
    #expect(
      try read(file.descriptor, .max).wait(forCount: 1)
        == [Told(true, numbered(1_999_985, from: 15), 0)])
    #expect(try read(file.descriptor, .max).wait(forCount: 1) == [Told(true, [], 0)])
  }

  @Test func availableBytesAreRead() throws {
    for ends in [try Ends(.pipe), try Ends(.sockets), try Ends(.screen)] {
      ends.put([1, 2, 3])
      #expect(try read(ends.input, -1).wait(forCount: 1) == [Told(true, [1, 2, 3], 0)])
      ends.put([4, 5, 6])
      #expect(try read(ends.input, 2).wait(forCount: 1) == [Told(true, [4, 5], 0)])
      #expect(try read(ends.input, 0).wait(forCount: 1) == [Told(true, [], 0)])
      #expect(try read(ends.input, 2).wait(forCount: 1) == [Told(true, [6], 0)])
    }
  }

  /// The pipe holds exactly what one system call can return. The read must find out that there
  /// is no more.
  @Test func aFullPipeIsReadWhole() throws {
    let ends = try Ends(.pipe)
    ends.put(numbered(65_536))
    #expect(try read(ends.input, .max).wait(forCount: 1) == [Told(true, numbered(65_536), 0)])
  }

  @Test func aReadWaitsForBytes() throws {
    let ends = try Ends(.pipe)
    let logs = [read(ends.input, .max), read(ends.input, .max)]
    letRealTimePass(RealTime.settling)
    #expect(logs.allSatisfy { $0.count == 0 })
    ends.put([1])
    #expect(try logs[0].wait(forCount: 1) == [Told(true, [1], 0)])
    ends.closeOutput()
    #expect(try logs[1].wait(forCount: 1) == [Told(true, [], 0)])
  }

  @Test func everythingIsWritten() throws {
    let ends = try Ends(.pipe)
    let logs = [
      write(ends.output, numbered(200_000)), write(ends.output, numbered(10, from: 200_000)),
    ]
    #expect(ends.takeAll(200_010) == numbered(200_010))
    for log in logs { #expect(try log.wait(forCount: 1) == [Told(true, nil, 0)]) }
  }

  @Test func errorsReportWhatWasNotWritten() throws {
    let ends = try Ends(.pipe)
    try ends.closeLastInput()
    #expect(try write(ends.output, [1, 2]).wait(forCount: 1) == [Told(true, [1, 2], EPIPE)])
    #expect(try write(-1, [1, 2]).wait(forCount: 1) == [Told(true, [1, 2], EBADF)])
    #expect(try read(-1, 1).wait(forCount: 1) == [Told(true, [], EBADF)])
    #expect(try read(ends.output, 1).wait(forCount: 1) == [Told(true, [], EBADF)])
  }

  /// An active channel does not delay the read.
  @Test func aSingleOperationRunsAlongsideAChannel() throws {
    let ends = try Ends(.pipe)
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in }
    ends.put([1])
    #expect(try read(ends.input, .max).wait(forCount: 1) == [Told(true, [1], 0)])
    channel.close()
  }

  @Test func theDescriptorIsFreeInItsHandler() throws {
    for number in 0..<50 {
      let ends = try Ends(.pipe)
      let done = EventCounter("handlers")
      if number % 2 == 0 { ends.put([1]) }
      DispatchIO.read(fromFileDescriptor: ends.input, maxLength: 1, runningHandlerOn: queue) {
        data, _ in
        if data.count == number % 2 { done.increment() }
        ends.closeInput()
        done.increment()
      }
      ends.closeOutput()
      try done.wait(for: 1)
      #expect(done.value == 1)
    }
  }
}
