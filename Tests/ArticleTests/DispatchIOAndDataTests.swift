// DispatchIOAndDataTests — the code of "DispatchIO and DispatchData".

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

// block: DispatchIOAndData/lines
/// Counts the lines of a file, and returns at once.
func countLines(
  of path: String, on queue: DispatchQueue, report: @escaping (_ lines: Int, _ error: Int32) -> Void
) {
  var lines = 0  // only touched on `queue`, which is serial
  let channel = DispatchIO(
    type: .stream, path: path, oflag: O_RDONLY, mode: 0, queue: queue
  ) { error in
    report(lines, error)  // the file is closed
  }
  guard let channel else { return report(0, EINVAL) }  // the path is not absolute
  channel.setLimit(highWater: 64 * 1024)  // at most so many bytes a call
  channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
    data?.enumerateBytes { bytes, _, _ in
      for byte in bytes where byte == UInt8(ascii: "\n") { lines += 1 }
    }
    if done { channel.close() }
  }
}
// end

@Suite("DispatchIO and DispatchData") struct DispatchIOAndDataTests {
  let queue = DispatchQueue(label: "org.example.files")

  @Test func theLinesOfAFile() throws {
    let folder = try TemporaryFolder()
    try folder.write("log.txt", String(repeating: "one line\n", count: 30_000))
    let reports = EventLog<[Int]>()
    countLines(of: folder.path + "/log.txt", on: queue) { reports.append([$0, Int($1)]) }
    #expect(try reports.wait(forCount: 1) == [[30_000, 0]])
    countLines(of: folder.path + "/none.txt", on: queue) { reports.append([$0, Int($1)]) }
    #expect(try reports.wait(forCount: 2).last == [0, Int(ENOENT)])
    countLines(of: "log.txt", on: queue) { reports.append([$0, Int($1)]) }
    #expect(try reports.wait(forCount: 3).last == [0, Int(EINVAL)])
  }

  @Test func bytesOfAConversationAreReportedAsTheyArrive() throws {
    let ends = try Ends(.sockets)
    let descriptor = fcntl(ends.input, F_DUPFD_CLOEXEC, 0)
    let heard = EventLog<String>()
    let closed = Gate()
    let close: @Sendable (Int32) -> Void = {
      Glibc.close($0)
      closed.open()
    }
    let consume: @Sendable (DispatchData) -> Void = {
      heard.append(String(decoding: $0, as: UTF8.self))
    }
    // block: DispatchIOAndData/conversation
    let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { error in
      close(descriptor)
    }
    channel.setLimit(lowWater: 1)  // report whatever arrives, at once
    channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
      if let data, !data.isEmpty { consume(data) }
      if done { channel.close() }  // the other side has closed, or an error
    }
    // end
    ends.put(Array("ping".utf8))
    #expect(try heard.wait(forCount: 1) == ["ping"])
    ends.put(Array("pong".utf8))
    #expect(try heard.wait(forCount: 2) == ["ping", "pong"])
    ends.closeOutput()
    try closed.wait()
  }

  @Test func partsOfAFileAndABarrier() throws {
    let file = try TemporaryFile([])
    let log = EventLog<String>()
    let fail: @Sendable (Int32) -> Void = { log.append("error \($0)") }
    let saved: @Sendable () -> Void = { log.append("saved") }
    let pages = (0..<4).map { DispatchData([UInt8](repeating: UInt8($0), count: 4096)) }
    let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
    // block: DispatchIOAndData/random
    let channel = DispatchIO(type: .random, fileDescriptor: descriptor, queue: queue) { error in
      close(descriptor)
    }
    for (number, page) in pages.enumerated() {  // these may run side by side
      channel.write(offset: off_t(number * 4096), data: page, queue: queue) { done, rest, error in
        if error != 0 { fail(error) }
      }
    }
    channel.barrier {  // after all of them, before whatever you submit later
      fsync(channel.fileDescriptor)
      saved()
      channel.close()
    }
    // end
    #expect(try log.wait(forCount: 1) == ["saved"])
    #expect(file.contents == (0..<4).flatMap { [UInt8](repeating: $0, count: 4096) })
    file.close()
  }

  @Test func aReadThatIsStopped() throws {
    let ends = try Ends(.sockets)
    let log = IOLog()
    let closed = Gate()
    let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in
      closed.open()
    }
    channel.read(offset: 0, length: 100, queue: queue, ioHandler: log.handle)
    // block: DispatchIOAndData/stop
    channel.close(flags: .stop)  // handlers get what has come so far, then ECANCELED
    // end
    #expect(try log.wait() == [Told(true, nil, ECANCELED)])
    try closed.wait()
  }

  @Test func aMessageOfTwoPieces() {
    let body = DispatchData(numbered(1_000_000))
    var found: [Int] = []
    let send: (UnsafeBufferPointer<UInt8>) -> Void = { found.append($0.count) }
    // block: DispatchIOAndData/message
    let header = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
    var message = header.withUnsafeBytes { DispatchData(bytes: $0) }  // copies the header
    message.append(body)  // shares the body: none of its bytes is copied
    message.enumerateBytes { bytes, start, stop in
      send(bytes)  // the header, then the body, each where it lies
    }
    // end
    #expect(found == [header.count, 1_000_000])
    found = []
    var places: [Int] = []
    let data = message
    let use: (DispatchData) -> Void = { found.append($0.count) }
    // block: DispatchIOAndData/region
    var location = 0
    while location < data.count {
      let (region, offset) = data.region(location: location)
      use(region)  // the whole piece around `location`, which begins at `offset`
      location = offset + region.count
    }
    // end
    places.append(location)
    #expect(found == [header.count, 1_000_000] && places == [data.count])
  }

  @Test func bytesThatAreNotCopied() throws {
    let file = try TemporaryFile(numbered(10_000)).descriptor
    let length = 10_000
    // block: DispatchIOAndData/no-copy
    let base = mmap(nil, length, PROT_READ, MAP_PRIVATE, file, 0)
    guard let base, base != MAP_FAILED else { throw SystemError(code: errno) }
    let page = DispatchData(
      bytesNoCopy: UnsafeRawBufferPointer(start: base, count: length), deallocator: .unmap)
    // end
    close(file)
    #expect(Array(page) == numbered(10_000))
  }

  @Test func anIndexOutsideTheData() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let data = DispatchData([1, 2, 3])
      // block: DispatchIOAndData/outside
      let tail = data.subdata(in: 2..<9)  // `data` has three bytes
      // end
      print(tail.count)
    }
    // block: DispatchIOAndData/outside-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: DispatchData.subdata(in:): the range
      2..<9 is outside the data, which has 3 bytes. Clamp the range to
      the data's indices first.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}

private struct SystemError: Error { let code: Int32 }
