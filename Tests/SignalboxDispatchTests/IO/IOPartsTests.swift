// IOPartsTests — the parts of channels: limits, lines, pieces, and calls that do not wait.

import CSignalbox
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite(.guarded)
struct IOPartsTests {
  // MARK: Limits

  @Test func highAndLowWaterMarksAdjustEachOther() {
    var limits = IOLimits()
    #expect(limits.high == .max && limits.low == 512 * 1024)
    limits.setHigh(100)
    #expect(limits.high == 100 && limits.low == 100)
    limits.setLow(200)
    #expect(limits.high == 200 && limits.low == 200)
    limits.setLow(-1)
    #expect(limits.high == .max && limits.low == .max)
    limits.setHigh(0)
    #expect(limits.high == 1 && limits.low == 1)
    limits.setLow(0)
    #expect(limits.high == 1 && limits.low == 0)
  }

  // MARK: Single operations

  /// The handler reads what the operation wrote, so it must not be called before the operation
  /// ends. Otherwise ThreadSanitizer reports the race.
  @Test func theHandlerOfARefusedWriteFollowsItsOperation() throws {
    let queue = DispatchQueue(label: "test.io.refused")
    let rests = EventLog<[UInt8]>()
    for _ in 0..<200 {
      DispatchIO.write(
        toFileDescriptor: -1, data: DispatchData([1, 2]), runningHandlerOn: queue
      ) { rest, error in rests.append(error == EBADF ? Array(rest ?? .empty) : []) }
    }
    #expect(try rests.wait(forCount: 200).allSatisfy { $0 == [1, 2] })
  }

  // MARK: Lines

  @Test func aLineKeepsItsOrder() throws {
    var random = SeededGenerator.announced()
    var line = IOLine<Int>()
    var model: [Int] = []
    for number in 0..<5_000 {
      switch Int.random(in: 0..<100, using: &random) {
      case 0:
        let divisor = Int.random(in: 2...5, using: &random)
        #expect(line.removeAll { $0 % divisor == 0 } == model.filter { $0 % divisor == 0 })
        model.removeAll { $0 % divisor == 0 }
      case 1..<50:
        #expect(line.first == model.first)
        #expect(line.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      default:
        line.append(number)
        model.append(number)
      }
      #expect(line.isEmpty == model.isEmpty)
    }
  }

  // MARK: Pieces

  @Test func piecesAreSplitAtAnySize() throws {
    var random = SeededGenerator.announced()
    for _ in 0..<50 {
      var data = DispatchData.empty
      var expected: [UInt8] = []
      for _ in 0..<Int.random(in: 0...200, using: &random) {
        let piece = numbered(Int.random(in: 0...50, using: &random), from: expected.count)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
        memory.copyBytes(from: piece)
        data.append(
          DispatchData(
            bytesNoCopy: UnsafeRawBufferPointer(memory),
            deallocator: .custom(nil, { memory.deallocate() })))
        expected += piece
      }
      var bytes = IOBytes(data)
      var found: [UInt8] = []
      while bytes.written < bytes.count {
        #expect(Array(bytes.rest) == Array(expected[bytes.written...]))
        let asked = Int.random(in: 1...700, using: &random)
        guard case .write(let parts, let size) = bytes.next(asked) else { return }
        #expect(size > 0 && size <= asked && parts.count <= 64)
        #expect(parts.reduce(0) { $0 + $1.size } == size)
        let taken = Int.random(in: 1...size, using: &random)
        let all = parts.flatMap { UnsafeRawBufferPointer(start: $0.bytes, count: $0.size) }
        found += all.prefix(taken)
        bytes.advance(taken)
      }
      #expect(found == expected)
    }
  }

  // MARK: Calls that do not wait

  static let manners = [CSB_IO_PIPE, CSB_IO_OTHER, CSB_IO_POLLED_PIPE, CSB_IO_POLLED_OTHER]

  @Test(arguments: manners.map { Int32($0) })
  func aDescriptorThatIsAlwaysReadyIsNotWaitedFor(_ manner: Int32) throws {
    let ends = try Ends(.pipe)
    var room = [UInt8](repeating: 0, count: 10)
    #expect(csb_io_read(ends.input, &room, 10, -1, manner) == Int(-EAGAIN))
    ends.put([1, 2, 3])
    #expect(csb_io_read(ends.input, &room, 10, -1, manner) == 3)
    // A pipe accepts only a limited number of bytes; the call returns.
    let bytes = numbered(1_000_000)
    var total = 0
    while true {
      let count = bytes.withUnsafeBytes {
        write($0[total...], to: ends.output, manner)
      }
      if count < 0 {
        #expect(count == Int(-EAGAIN))
        break
      }
      total += count
    }
    // F_GETPIPE_SZ, which Swift does not import. A user with very many pipes gets smaller ones.
    let capacity = Int(fcntl(ends.output, 1032))
    #expect(total > capacity / 2 && total <= capacity)
    #expect(ends.takeAll(total) == Array(bytes.prefix(total)))
    ends.closeOutput()
    // A child that another test starts at this moment has the output open until its `exec`.
    var end = pollfd(fd: ends.input, events: Int16(POLLIN), revents: 0)
    #expect(poll(&end, 1, Int32(RealTime.wedge.wholeNanoseconds / 1_000_000)) == 1)
    #expect(csb_io_read(ends.input, &room, 10, -1, manner) == 0)
  }

  private func write(
    _ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32, _ manner: Int32
  ) -> Int {
    var part = csb_io_part(
      bytes: UnsafeRawBufferPointer(rebasing: bytes).baseAddress, size: bytes.count)
    return csb_io_write(descriptor, &part, 1, -1, manner)
  }

  @Test(arguments: manners.map { Int32($0) })
  func aMissingReaderCausesNoSignal(_ manner: Int32) throws {
    let ends = try Ends(.pipe)
    try ends.closeLastInput()
    let results = EventLog<Int>()
    let pending = EventLog<Bool>()
    // A separate thread, so that the test owns its signals.
    let thread = try PlainThread {
      for _ in 0..<2 {
        let count = [UInt8](repeating: 1, count: 10).withUnsafeBytes {
          self.write($0[...], to: ends.output, manner)
        }
        results.append(count)
      }
      var signals = sigset_t()
      sigpending(&signals)
      pending.append(sigismember(&signals, SIGPIPE) == 1)
      pthread_sigmask(SIG_BLOCK, nil, &signals)
      pending.append(sigismember(&signals, SIGPIPE) == 1)
    }
    try thread.join()
    #expect(results.all == [Int(-EPIPE), Int(-EPIPE)])
    #expect(pending.all == [false, false])
  }

  /// A signal that the program itself blocks is still pending afterwards.
  @Test func aPendingSignalOfTheProgramIsKept() throws {
    let ends = try Ends(.pipe)
    try ends.closeLastInput()
    let pending = EventLog<Bool>()
    let thread = try PlainThread {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      pthread_kill(pthread_self(), SIGPIPE)
      _ = [UInt8](repeating: 1, count: 10).withUnsafeBytes {
        self.write($0[...], to: ends.output, Int32(CSB_IO_PIPE))
      }
      var found = sigset_t()
      sigpending(&found)
      pending.append(sigismember(&found, SIGPIPE) == 1)
      var taken: Int32 = 0
      sigwait(&signals, &taken)
    }
    try thread.join()
    #expect(pending.all == [true])
  }

  @Test func theKindOfADescriptorIsRecognized() throws {
    func manner(_ descriptor: Int32) -> Int32 {
      var facts = csb_io_facts()
      return csb_io_look(descriptor, &facts) == 0 ? facts.manner : -1
    }
    let (pipe, sockets, terminal) = (try Ends(.pipe), try Ends(.sockets), try Ends(.screen))
    let file = try TemporaryFile([])
    defer { file.close() }
    #expect(manner(file.descriptor) == Int32(CSB_IO_DISK))
    #expect(manner(pipe.input) == Int32(CSB_IO_PIPE))
    #expect(manner(sockets.input) == Int32(CSB_IO_SOCKET))
    #expect(manner(terminal.input) == Int32(CSB_IO_OTHER))
    _ = fcntl(pipe.input, F_SETFL, O_NONBLOCK)
    #expect(manner(pipe.input) == Int32(CSB_IO_NONBLOCKING))
    #expect(manner(-1) == -1)
  }
}
