import Glibc
import SignalboxFoundation
import SignalboxTestSupport
import Testing

struct StreamTests {
  /// Records a delegate's events in words, and reacts to them.
  private final class Listener: StreamDelegate {
    private(set) var told: [String] = []
    private let handle: (Stream, Stream.Event) -> Void

    init(_ handle: @escaping (Stream, Stream.Event) -> Void) { self.handle = handle }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
      let words: [(Stream.Event, String)] = [
        (.openCompleted, "open"), (.hasBytesAvailable, "bytes"), (.hasSpaceAvailable, "space"),
        (.errorOccurred, "error"), (.endEncountered, "end"),
      ]
      told.append(words.first { $0.0 == eventCode }?.1 ?? "\(eventCode)")
      handle(aStream, eventCode)
    }
  }

  private static let mode = RunLoop.Mode("streams")

  /// Runs the calling thread's loop until the condition holds.
  private static func run(until isDone: () -> Bool) {
    let limit = Date(timeIntervalSinceNow: loopLimit)
    while !isDone() && Date() < limit { RunLoop.current.run(mode: mode, before: limit) }
  }

  private static func read(_ stream: InputStream, _ count: Int) -> String {
    var buffer = [UInt8](repeating: 0, count: count)
    let read = stream.read(&buffer, maxLength: count)
    return String(decoding: buffer.prefix(max(read, 0)), as: UTF8.self)
  }

  @Test func aFileIsReadToItsEnd() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("abcdef".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (told, text) = try onPlainThread { () -> ([String], String) in
      var text = ""
      let stream = InputStream(url: file)!
      let listener = Listener { stream, event in
        if event == .hasBytesAvailable { text += StreamTests.read(stream as! InputStream, 4) }
        if event == .endEncountered { stream.close() }
      }
      stream.delegate = listener
      stream.schedule(in: .current, forMode: StreamTests.mode)
      stream.open()
      StreamTests.run { stream.streamStatus == .closed }
      return (listener.told, text)
    }
    #expect(text == "abcdef")
    #expect(told == ["open", "bytes", "bytes", "bytes", "end"])
  }

  @Test func dataIsReadInTheOrderOfThePasses() throws {
    let told = try onPlainThread { () -> [String] in
      let stream = InputStream(data: Data("xyz".utf8))
      let listener = Listener { stream, event in
        if event == .hasBytesAvailable { _ = StreamTests.read(stream as! InputStream, 2) }
      }
      stream.delegate = listener
      stream.open()
      stream.schedule(in: .current, forMode: StreamTests.mode)
      StreamTests.run { listener.told.last == "end" }
      stream.remove(from: .current, forMode: StreamTests.mode)
      return listener.told
    }
    #expect(told == ["open", "bytes", "bytes", "end"])
  }

  /// The stream reports one event until the program writes to it.
  @Test func aStreamThatIsNotWrittenIsNotReportedAgain() throws {
    let (told, written) = try onPlainThread { () -> ([String], Int) in
      let stream = OutputStream(toMemory: ())
      let listener = Listener { _, _ in }
      stream.delegate = listener
      stream.schedule(in: .current, forMode: StreamTests.mode)
      stream.open()
      // Passes in which nothing more happens.
      StreamTests.run { listener.told.count == 2 }
      for _ in 0..<20 { RunLoop.current.run(mode: StreamTests.mode, before: Date()) }
      let quiet = listener.told
      _ = stream.write([1, 2, 3], maxLength: 3)
      StreamTests.run { listener.told.count > quiet.count }
      stream.close()
      let data = stream.property(forKey: .dataWrittenToMemoryStreamKey) as? NSData
      return (quiet + ["|"] + listener.told[quiet.count...], data?.length ?? 0)
    }
    #expect(told == ["open", "space", "|", "space"])
    #expect(written == 3)
  }

  @Test func anErrorIsReportedOnce() throws {
    let told = try onPlainThread { () -> [String] in
      let stream = InputStream(fileAtPath: "/nonexistent/file")!
      let listener = Listener { _, _ in }
      stream.delegate = listener
      stream.schedule(in: .current, forMode: StreamTests.mode)
      stream.open()
      StreamTests.run { listener.told.count > 0 }
      RunLoop.current.run(mode: StreamTests.mode, before: Date())
      stream.remove(from: .current, forMode: StreamTests.mode)
      return listener.told
    }
    #expect(told == ["error"])
  }

  // MARK: Streams of sockets, as programs make them by subclasses

  @Test(arguments: [true, false]) func socketsAreServedByTheirDescriptors(tells: Bool) throws {
    let (told, text) = try onPlainThread { () -> ([String], String) in
      var pair: [Int32] = [0, 0]
      guard socketpair(AF_UNIX, streams, 0, &pair) == 0 else { return ([], "") }
      let (here, there) = (pair[0], pair[1])
      var text = ""
      let input = SocketInput(here, tellsDescriptor: tells)
      let listener = Listener { stream, event in
        if event == .hasBytesAvailable { text += StreamTests.read(stream as! InputStream, 100) }
      }
      input.delegate = listener
      input.schedule(in: .current, forMode: StreamTests.mode)
      input.open()
      StreamTests.run { !listener.told.isEmpty }
      // Writes while the loop sleeps.
      DispatchQueue(label: "peer").async {
        _ = Glibc.write(there, "hello", 5)
        Glibc.close(there)
      }
      StreamTests.run { listener.told.last == "end" }
      input.close()
      Glibc.close(here)
      return (listener.told, text)
    }
    #expect(text == "hello")
    #expect(told.first == "open")
    #expect(told.last == "end")
    #expect(told.filter { $0 == "end" }.count == 1)
  }

  @Test func aSocketIsWrittenAsItHasRoom() throws {
    let total = 2_000_000
    let received = try onPlainThread { () -> Int in
      var pair: [Int32] = [0, 0]
      guard socketpair(AF_UNIX, streams, 0, &pair) == 0 else { return 0 }
      let (here, there) = (pair[0], pair[1])
      _ = fcntl(here, F_SETFL, O_NONBLOCK)
      let count = Guarded(0)
      let reader = DispatchQueue(label: "peer")
      reader.async {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
          let read = Glibc.read(there, &buffer, buffer.count)
          if read <= 0 { break }
          count.withValue { $0 += read }
        }
      }
      var left = total
      let chunk = [UInt8](repeating: 7, count: 10_000)
      let output = SocketOutput(here)
      let listener = Listener { stream, event in
        guard event == .hasSpaceAvailable else { return }
        left -= max(0, (stream as! OutputStream).write(chunk, maxLength: min(left, chunk.count)))
        if left == 0 { stream.remove(from: .current, forMode: StreamTests.mode) }
      }
      output.delegate = listener
      output.schedule(in: .current, forMode: StreamTests.mode)
      output.open()
      StreamTests.run { left == 0 }
      Glibc.close(here)
      reader.sync {}
      Glibc.close(there)
      return count.current
    }
    #expect(received == total)
  }

  @Test func aStreamThatWasRemovedIsNotServed() throws {
    let (told, result) = try onPlainThread { () -> ([String], Bool) in
      let stream = InputStream(data: Data([1]))
      let listener = Listener { _, _ in }
      stream.delegate = listener
      stream.schedule(in: .current, forMode: StreamTests.mode)
      stream.remove(from: .current, forMode: StreamTests.mode)
      stream.open()
      while RunLoop.current.run(mode: StreamTests.mode, before: Date()) {}
      let result = RunLoop.current.run(mode: StreamTests.mode, before: .distantFuture)
      return (listener.told, result)
    }
    #expect(told == [])
    // Nothing is left in the mode.
    #expect(!result)
  }

  /// The stream's wake-up source leaves the mode together with the stream.
  @Test(arguments: [true, false]) func aModeThatWasLeftReceivesNothing(tellsDescriptor: Bool) throws
  {
    let other = RunLoop.Mode("other streams")
    let (told, isEmpty, later) = try onPlainThread { () -> ([String], Bool, [String]) in
      var pair: [Int32] = [0, 0]
      guard socketpair(AF_UNIX, streams, 0, &pair) == 0 else {
        return ([], false, [])
      }
      let (here, there) = (pair[0], pair[1])
      let input = SocketInput(here, tellsDescriptor: tellsDescriptor)
      let listener = Listener { stream, event in
        if event == .hasBytesAvailable { _ = StreamTests.read(stream as! InputStream, 100) }
      }
      input.delegate = listener
      input.schedule(in: .current, forMode: StreamTests.mode)
      input.schedule(in: .current, forMode: other)
      input.open()
      StreamTests.run { !listener.told.isEmpty }
      RunLoop.current.run(mode: other, before: Date())
      input.remove(from: .current, forMode: other)
      _ = Glibc.write(there, "hello", 5)
      let isEmpty = !RunLoop.current.run(mode: other, before: Date())
      let told = listener.told
      StreamTests.run { listener.told.count > 1 }
      input.close()
      Glibc.close(there)
      Glibc.close(here)
      return (told, isEmpty, listener.told)
    }
    #expect(told == ["open"])
    #expect(isEmpty)
    #expect(later == ["open", "bytes"])
  }

  /// A stream that several threads use, one after the other.
  private final class Kept: @unchecked Sendable {  // SAFETY: each thread is joined.
    let stream = InputStream(data: Data([1]))
  }

  @Test func aStreamOutlivesItsLoop() throws {
    let kept = Kept()
    for mode in [RunLoop.Mode.common, StreamTests.mode] {
      try runThreads(1) { _ in
        kept.stream.schedule(in: .current, forMode: mode)
      }
    }
    let told = try onPlainThread { () -> [String] in
      let stream = kept.stream
      let listener = Listener { _, _ in }
      stream.delegate = listener
      stream.open()
      stream.schedule(in: .current, forMode: StreamTests.mode)
      StreamTests.run { !listener.told.isEmpty }
      stream.close()
      return listener.told
    }
    #expect(told == ["open"])
  }

  @Test func aFreedStreamLeavesItsLoop() throws {
    let freed = try onPlainThread { () -> Bool in
      weak var stream: Stream?
      do {
        let new = InputStream(data: Data([1]))
        new.schedule(in: .current, forMode: StreamTests.mode)
        stream = new
      }
      RunLoop.current.run(mode: StreamTests.mode, before: Date())
      while RunLoop.current.run(mode: StreamTests.mode, before: Date()) {}
      return stream == nil
        && !RunLoop.current.run(mode: StreamTests.mode, before: .distantFuture)
    }
    #expect(freed)
  }
}

/// A stream of a socket, as a program writes it.
private final class SocketInput: InputStream {
  private let descriptor: Int32
  private let tellsDescriptor: Bool
  private var status = Status.notOpen

  init(_ descriptor: Int32, tellsDescriptor: Bool) {
    self.descriptor = descriptor
    self.tellsDescriptor = tellsDescriptor
    super.init(data: Data())
  }

  override func open() { status = .open }
  override func close() { status = .closed }
  override var streamStatus: Status { status }

  override var hasBytesAvailable: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return status == .open && poll(&polled, 1, 0) > 0
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    let count = Glibc.read(descriptor, buffer, len)
    if count == 0 { status = .atEnd }
    return count
  }

  override func property(forKey key: PropertyKey) -> AnyObject? {
    guard tellsDescriptor, key.rawValue == "kCFStreamPropertySocketNativeHandle" else { return nil }
    return NSNumber(value: descriptor)
  }
}

private final class SocketOutput: OutputStream {
  private let descriptor: Int32
  private var status = Status.notOpen

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    super.init(toMemory: ())
  }

  required init(toMemory: ()) { fatalError("unused") }

  override func open() { status = .open }
  override func close() { status = .closed }
  override var streamStatus: Status { status }

  override var hasSpaceAvailable: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return status == .open && poll(&polled, 1, 0) > 0
  }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    Glibc.write(descriptor, buffer, len)
  }

  override func property(forKey key: PropertyKey) -> AnyObject? {
    guard key.rawValue == "kCFStreamPropertySocketNativeHandle" else { return nil }
    return withUnsafeBytes(of: descriptor) { NSData(bytes: $0.baseAddress!, length: $0.count) }
  }
}

/// The type of a pair of sockets that no child of another test inherits.
private let streams = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
