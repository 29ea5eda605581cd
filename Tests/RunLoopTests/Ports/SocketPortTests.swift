// SocketPortTests — messages through sockets, and senders that end, send too much, or send no
// message at all.

import CSignalbox
import FoundationEssentials
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

@Suite("socket ports")
struct SocketPortTests {
  /// A port that listens on a loop's thread, and the messages that arrived.
  private struct Server {
    let port: SocketPort
    let recorder: Recorder
    let thread: LoopThread

    init(_ port: SocketPort, _ then: @escaping @Sendable (PortMessage) -> Void = { _ in }) throws {
      let recorder = Recorder(then)
      self.port = port
      self.recorder = recorder
      port.setDelegate(recorder)
      thread = try LoopThread()
      RunLoop.of(thread.loop).add(port, forMode: .default)
    }

    /// The port that represents the server elsewhere.
    var remote: SocketPort {
      SocketPort(
        remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
        protocol: port.protocol, address: port.address)
    }

    func end() throws {
      port.invalidate()
      try thread.end()
    }
  }

  /// A port whose number nobody else gets after its end: the system draws numbers from
  /// `ip_local_port_range`, which usually begins above these, and the address is one of millions of
  /// this machine's.
  private func portOfItsOwn() throws -> SocketPort {
    var port: SocketPort?
    for _ in 0..<100 where port == nil {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t.random(in: 10_000..<20_000).bigEndian
      address.sin_addr.s_addr = in_addr_t.random(in: 0x7F01_0001..<0x7FFF_0000).bigEndian
      port = SocketPort(
        protocolFamily: AF_INET, socketType: Int32(SOCK_STREAM.rawValue), protocol: 0,
        address: withUnsafeBytes(of: &address) { Data($0) })
    }
    return try #require(port)
  }

  /// Connects to a server.
  private func connection(to port: SocketPort) throws -> Int32 {
    let made = socket(port.protocolFamily, port.socketType | Int32(SOCK_CLOEXEC.rawValue), 0)
    // SAFETY: the port's address is a socket address.
    let result = port.address.withUnsafeBytes {
      connect(
        made, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard result == 0 else {
      let failure = SystemCallFailure(call: "connect", code: errno)
      close(made)
      throw failure
    }
    return made
  }

  /// Waits until the kernel refuses connections to a port that has ended.
  ///
  /// A child that another test starts at this moment has copies of the port's sockets until its
  /// `exec`. As long as they are open, the kernel accepts connections, and ends none.
  private func waitUntilNobodyListens(at port: SocketPort) throws {
    let end = Uptime.now() + RealTime.wedge
    while let peer = try? connection(to: port) {
      close(peer)
      guard Uptime.now() < end else { throw Wedge.found("somebody listens at \(port)") }
      letRealTimePass(.milliseconds(1))
    }
  }

  /// Waits until the end of a port's connection has come from the other side. What is sent before
  /// that is lost.
  private func waitUntilTheConnectionHasEnded(of port: SocketPort) throws {
    var state = pollfd(fd: port.socket, events: Int16(POLLIN), revents: 0)
    let end = Uptime.now() + RealTime.wedge
    while poll(&state, 1, 100) <= 0 {
      guard Uptime.now() < end else { throw Wedge.found("the connection of \(port) does not end") }
    }
  }

  private func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  private func frame(_ number: UInt32, _ components: [Any]? = nil) -> [UInt8] {
    SocketFrame.bytes(
      of: Envelope(number: number, components: components, answers: nil), to: "a test")!
  }

  @Test func aMessageGoesThroughTCPAndTheReplyReturns() throws {
    let answers = EventLog<Bool>()
    let server = try Server(SocketPort()) { message in
      let answer = PortMessage(
        sendPort: message.sendPort, receivePort: nil, components: message.components)
      answer.msgid = message.msgid + 1
      answers.append(answer.send(before: Date(timeIntervalSinceNow: loopLimit)))
    }
    let client = try Server(SocketPort())
    let remote = server.remote
    for round in 0..<50 {
      let number = UInt32(round * 10)
      #expect(
        remote.post(Int(number), [Data("a\(round)".utf8), Data(), client.port], from: client.port))
      try client.recorder.log.wait(forCount: round + 1)
      let got = client.recorder.log.all[round]
      #expect(got.number == number + 1)
      #expect(got.texts == ["a\(round)", "", "a port"])
    }
    #expect(server.recorder.numbers == (0..<50).map { $0 * 10 })
    #expect(try answers.wait(forCount: 50) == Array(repeating: true, count: 50))
    try server.end()
    try client.end()
  }

  @Test func aLocalSocketWorks() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/port"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bytes = withUnsafeBytes(of: &address) { Data($0) }
    let stream = Int32(SOCK_STREAM.rawValue)
    let port = try #require(
      SocketPort(protocolFamily: AF_UNIX, socketType: stream, protocol: 0, address: bytes))
    #expect(
      SocketPort(protocolFamily: AF_UNIX, socketType: stream, protocol: 0, address: bytes) == nil)
    let server = try Server(port)
    let remote = SocketPort(
      remoteWithProtocolFamily: AF_UNIX, socketType: stream, protocol: 0, address: bytes)
    #expect(remote.post(5, [Data("local".utf8)]))
    #expect(try server.recorder.log.wait(forCount: 1)[0].texts == ["local"])
    try server.end()
  }

  @Test func aPortIsFoundByItsTCPPortNumber() throws {
    let first = try Server(SocketPort())
    let number = first.port.address.withUnsafeBytes {
      UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
    #expect(SocketPort(tcpPort: number) == nil)
    for host in [nil, "localhost", "127.0.0.1"] {
      let remote = try #require(SocketPort(remoteWithTCPPort: number, host: host))
      #expect(remote.post(1))
    }
    try first.recorder.log.wait(forCount: 3)
    #expect(SocketPort(remoteWithTCPPort: number, host: "no such name.invalid") == nil)
    try first.end()
  }

  @Test func aSocketOfTheProgramsListens() throws {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(made, $0, size) }
    }
    try #require(bound == 0)
    let port = try #require(
      SocketPort(
        protocolFamily: AF_INET, socketType: Int32(SOCK_STREAM.rawValue), protocol: 0,
        socket: made))
    #expect(port.socket == made)
    let server = try Server(port)
    #expect(server.remote.post(9))
    try server.recorder.log.wait(forCount: 1)
    try server.end()
    #expect(
      SocketPort(protocolFamily: AF_INET, socketType: 1, protocol: 0, socket: -1) == nil)
  }

  @Test func largeMessagesKeepTheirBytesAndTheirOrder() throws {
    let come = EventLog<[Data]>()
    let server = try Server(SocketPort()) { message in
      come.append(message.components?.compactMap { $0 as? Data } ?? [])
    }
    let remote = server.remote
    var generator = SeededGenerator.announced()
    var expected: [[Data]] = []
    for number in 0..<12 {
      let parts = (0..<Int.random(in: 0...3, using: &generator)).map { part in
        Data(
          repeating: UInt8(number * 3 + part), count: Int.random(in: 0...900_000, using: &generator)
        ) + Data([UInt8(number)])
      }
      expected.append(parts)
      #expect(remote.post(number, parts))
    }
    #expect(try come.wait(forCount: 12) == expected)
    #expect(server.recorder.numbers == Array(0..<12))
    try server.end()
  }

  // MARK: Faulty senders

  @Test func aSenderThatEndsInTheMiddleOfAMessageIsDropped() throws {
    let server = try Server(SocketPort())
    let whole = frame(1, [Data("whole".utf8)])
    for cut in stride(from: 1, to: whole.count, by: 5) {
      let peer = try connection(to: server.port)
      write(whole + whole[..<cut], to: peer)
      close(peer)
    }
    let cuts = stride(from: 1, to: whole.count, by: 5).reduce(0) { count, _ in count + 1 }
    try server.recorder.log.wait(forCount: cuts)
    #expect(server.remote.post(2))
    try server.recorder.log.wait(forCount: cuts + 1)
    #expect(server.recorder.numbers.sorted() == Array(repeating: 1, count: cuts) + [2])
    try server.end()
  }

  @Test func aMessageThatArrivesInPiecesIsOneMessage() throws {
    let server = try Server(SocketPort())
    let peer = try connection(to: server.port)
    for byte in frame(3, [Data("slow".utf8)]) {
      write([byte], to: peer)
      letRealTimePass(.microseconds(200))
    }
    #expect(try server.recorder.log.wait(forCount: 1)[0].texts == ["slow"])
    close(peer)
    try server.end()
  }

  @Test(arguments: [
    [UInt8]("GET / HTTP/1.1\r\n\r\n".utf8),
    // More than a message may have.
    [0x53, 0x42, 0x50, 0x4D, 0xFF, 0xFF, 0xFF, 0xFF],
    // A part that is longer than the message.
    [0x53, 0x42, 0x50, 0x4D, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9],
    // An unknown kind; half a part; nothing at all.
    [0x53, 0x42, 0x50, 0x4D, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0],
    [0x53, 0x42, 0x50, 0x4D, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0],
    [0x53, 0x42, 0x50, 0x4D, 0, 0, 0, 0, 0, 0, 0, 1],
  ])
  func aPeerThatSendsNoMessageLosesItsConnection(_ garbage: [UInt8]) throws {
    let server = try Server(SocketPort())
    let peer = try connection(to: server.port)
    write(frame(1) + garbage, to: peer)
    var byte: UInt8 = 0
    // The other side closes: with a reset, because of what it had not read.
    #expect(recv(peer, &byte, 1, 0) <= 0)
    close(peer)
    #expect(server.remote.post(2))
    try server.recorder.log.wait(forCount: 2)
    #expect(server.recorder.numbers == [1, 2])
    try server.end()
  }

  @Test func invalidBytesAreNeverTrusted() {
    var generator = SeededGenerator.announced()
    let signature = SocketSignature(
      family: 2, type: 1, protocol: 0, address: Data(repeating: 9, count: 16))
    let whole = SocketFrame.bytes(
      of: Envelope(
        number: 77, components: [Data("abc".utf8), SocketPort(signature), Data()],
        answers: SocketPort(signature)), to: "a test")!
    guard case .message(77, signature, let parts, whole.count) = SocketFrame.read(whole[...])
    else {
      Issue.record("what was written is not read")
      return
    }
    #expect(parts.count == 3)
    for cut in 0..<whole.count {
      guard case .unfinished = SocketFrame.read(whole[..<cut]) else {
        Issue.record("a part of \(cut) bytes is read")
        return
      }
    }
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8(
          truncatingIfNeeded: generator.next())
      }
      if case .message(_, _, _, let size) = SocketFrame.read(bytes[...]) {
        if size > bytes.count { Issue.record("\(size) of \(bytes.count) bytes are taken") }
      }
    }
  }

  // MARK: Sending

  @Test func sendingFailsIfNoPortListens() throws {
    let server = try Server(portOfItsOwn())
    let remote = server.remote
    try server.end()
    try waitUntilNobodyListens(at: server.port)
    #expect(!remote.post(1))
    #expect(remote.isValid)
  }

  @Test func aPeerThatReturnsIsSentToAgain() throws {
    let first = try Server(portOfItsOwn())
    let (remote, address) = (first.remote, first.port.address)
    #expect(remote.post(1))
    try first.recorder.log.wait(forCount: 1)
    try first.end()
    try waitUntilTheConnectionHasEnded(of: remote)
    try waitUntilNobodyListens(at: first.port)
    let port = try #require(
      SocketPort(
        protocolFamily: AF_INET, socketType: Int32(SOCK_STREAM.rawValue), protocol: 0,
        address: address))
    let second = try Server(port)
    #expect(remote.post(2))
    try second.recorder.log.wait(forCount: 1)
    #expect(second.recorder.numbers == [2])
    try second.end()
  }

  @Test func aSenderWhosePeerDoesNotReadWaitsUntilItsTimeout() throws {
    // The port listens, but no loop has it.
    let port = SocketPort()
    let recorder = Recorder()
    port.setDelegate(recorder)
    let remote = SocketPort(
      remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
      protocol: port.protocol, address: port.address)
    let part = Data(repeating: 1, count: 8 << 20)
    var sent = 0
    while remote.send(
      before: Date(timeIntervalSinceNow: RealTime.settling / .seconds(1)), msgid: sent,
      components: [part], from: nil, reserved: 0)
    {
      sent += 1
      if sent > 100 { break }
    }
    #expect(sent < 100)
    // A message that was not sent completely does not count; the next one uses a connection of
    // its own.
    let thread = try LoopThread()
    RunLoop.of(thread.loop).add(port, forMode: .default)
    #expect(remote.post(1000))
    try recorder.log.wait(forCount: sent + 1)
    #expect(Set(recorder.numbers) == Set((0..<UInt32(sent)).map { $0 } + [1000]))
    port.invalidate()
    try thread.end()
  }

  @Test func aBlockedSenderIsWokenWhenThePortIsInvalidated() throws {
    let port = SocketPort()
    let remote = SocketPort(
      remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
      protocol: port.protocol, address: port.address)
    let part = Data(repeating: 1, count: 8 << 20)
    let tries = EventCounter("messages sent")
    let thread = try PlainThread {
      while remote.send(
        before: .distantFuture, components: [part], from: nil, reserved: 0)
      {
        tries.increment()
      }
    }
    // The message is larger than the system accepts; whether the sender waits yet does not
    // matter.
    while remote.socket < 0 { letRealTimePass(.microseconds(200)) }
    letRealTimePass(RealTime.settling)
    remote.invalidate()
    try thread.join()
    #expect(remote.socket < 0)
    port.invalidate()
  }

  @Test func manySendersAreDistinguished() throws {
    let server = try Server(SocketPort())
    let count = 40
    try runThreads(8) { sender in
      let remote = SocketPort(
        remoteWithProtocolFamily: server.port.protocolFamily,
        socketType: server.port.socketType, protocol: 0, address: server.port.address)
      for index in 0..<count {
        if !remote.post(sender << 16 | index, [Data(repeating: 7, count: index * 100)]) {
          throw SystemCallFailure(call: "a message was not sent", code: 0)
        }
      }
      // The receiver reads what was sent before it sees the other side's end.
    }
    try server.recorder.log.wait(forCount: 8 * count)
    for sender in 0..<8 {
      let indices = server.recorder.numbers.filter { $0 >> 16 == sender }.map { $0 & 0xFFFF }
      #expect(indices == (0..<UInt32(count)).map { $0 })
    }
    try server.end()
  }

  // MARK: Several loops

  /// One loop reads what has arrived. No descriptor tells the other loop about messages that
  /// the first loop has read and does not handle itself.
  @Test func messagesReadByOneLoopMayBeHandledByAnother() throws {
    let port = SocketPort()
    let handled = EventCounter("messages handled")
    // The first of two messages blocks its loop until the other loop has handled the second.
    let recorder = Recorder { message in
      let before = Int(message.msgid)
      if before % 2 == 0 { handled.pass(before + 1) }
      handled.increment()
    }
    port.setDelegate(recorder)
    let threads = try (0..<2).map { _ in try LoopThread() }
    for thread in threads { RunLoop.of(thread.loop).add(port, forMode: .default) }
    let peer = try connection(to: port)
    for round in 0..<UInt32(40) {
      for thread in threads { try waitUntilAsleep(thread.loop) }
      write(frame(2 * round) + frame(2 * round + 1), to: peer)
      try handled.wait(for: 2 * Int(round) + 2)
    }
    close(peer)
    port.invalidate()
    for thread in threads { try thread.end() }
    #expect(recorder.numbers.sorted() == Array(0..<80))
    #expect(Set(recorder.log.all.map(\.thread)).count == 2)
  }

  // MARK: As values

  @Test func portsOfOneAddressAreEqual() throws {
    let server = try Server(SocketPort())
    let (a, b) = (server.remote, server.remote)
    #expect(a == b && a == server.port)
    #expect(Set<Port>([a, b, server.port, Port()]).count == 2)
    #expect(a.protocolFamily == AF_INET && a.socketType == 1 && a.socket == -1)
    #expect("\(server.port)".contains("local") && "\(a)".contains("remote"))
    try server.end()
    #expect(!server.port.isValid)
    #expect(!server.port.post(1))
  }
}
