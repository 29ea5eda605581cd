// CoreFoundationPortsTests — the code of "POSIX threads and Core Foundation's ports", second half.

import FoundationEssentials
import Glibc
import SignalboxDispatch
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

// block: PosixAndCoreFoundation/watch
/// Has the current run loop call `body` while `descriptor` can be read.
func watch(_ descriptor: Int32, _ body: @escaping () -> Void) -> CFRunLoopSource {
  var context = CFRunLoopSourceContext1()
  context.version = 1
  context.getPort = { _ in descriptor }
  context.perform = { _ in body() }
  let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
  CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
  return source
}
// end

// block: PosixAndCoreFoundation/reply-server
/// Answers each message on the port that the sender named.
final class Upcase: PortDelegate {
  func handle(_ message: PortMessage) {
    guard let question = message.components?.first as? Data else { return }
    let text = String(decoding: question, as: UTF8.self).uppercased()
    let reply = PortMessage(
      sendPort: message.sendPort, receivePort: nil, components: [Data(text.utf8)])
    reply.msgid = message.msgid
    reply.send(before: Date(timeIntervalSinceNow: 5))
  }
}
// end

// block: PosixAndCoreFoundation/reply-client
/// Keeps the first answer that arrives.
final class Reply: PortDelegate {
  private(set) var data: Data?
  func handle(_ message: PortMessage) { data = data ?? message.components?.first as? Data }
}

/// Asks `server`, and waits for the answer on a port of its own.
func ask(_ server: Port, _ question: String, answers: Port, until limit: Date) -> String? {
  let (reply, loop) = (Reply(), RunLoop.current)
  answers.setDelegate(reply)
  loop.add(answers, forMode: .connectionReply)  // this mode serves the answer and nothing else
  defer { answers.invalidate() }
  guard
    server.send(
      before: limit, msgid: 1, components: [Data(question.utf8)], from: answers, reserved: 0)
  else { return nil }
  while reply.data == nil, Date() < limit {
    guard loop.run(mode: .connectionReply, before: limit) else { break }
  }
  return reply.data.map { String(decoding: $0, as: UTF8.self) }
}
// end

// block: PosixAndCoreFoundation/local
/// A local socket's address. The path has at most 107 bytes.
func localAddress(_ path: String) -> Data {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  return withUnsafeBytes(of: &address) { Data($0) }
}
// end

@Suite("Core Foundation's ports") struct CoreFoundationPortsTests {
  @Test func aDescriptorInALoop() throws {
    let ends = try Ends()
    let heard = EventLog<String>()
    let thread = JoinableThread {
      let print: (String) -> Void = { heard.append($0) }
      let pipe = ends.input
      // block: PosixAndCoreFoundation/descriptor
      let source = watch(pipe) {
        var bytes = Array(repeating: UInt8(0), count: 4096)
        let count = read(pipe, &bytes, bytes.count)
        if count > 0 {
          print(String(decoding: bytes[..<count], as: UTF8.self))
        } else {
          CFRunLoopStop(CFRunLoopGetCurrent())  // 0: the other end is closed
        }
      }
      CFRunLoopRun()
      CFRunLoopSourceInvalidate(source)
      // end
    }
    thread.start()
    #expect(write(ends.output, "ready", 5) == 5)
    _ = try heard.wait(forCount: 1)
    ends.closeOutput()
    thread.join()
    #expect(heard.all == ["ready"])
  }

  @Test func aSocketThatAccepts() throws {
    let listener = try listen()
    let heard = EventLog<String>()
    let thread = JoinableThread {
      let print: (String) -> Void = { heard.append($0) }
      // block: PosixAndCoreFoundation/socket
      // SAFETY: only this thread's loop calls the blocks.
      nonisolated(unsafe) var connections: [Int32: CFRunLoopSource] = [:]
      let accepting = watch(listener) {  // kCFSocketAcceptCallBack
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        connections[connection] = watch(connection) {  // kCFSocketDataCallBack
          var bytes = Array(repeating: UInt8(0), count: 4096)
          let count = read(connection, &bytes, bytes.count)
          if count > 0 { return print(String(decoding: bytes[..<count], as: UTF8.self)) }
          CFRunLoopSourceInvalidate(connections.removeValue(forKey: connection))
          close(connection)
          CFRunLoopStop(CFRunLoopGetCurrent())
        }
      }
      // end
      CFRunLoopRun()
      CFRunLoopSourceInvalidate(accepting)
      return connections.count
    }
    thread.start()
    let client = try connect(to: listener)
    #expect(write(client, "hello", 5) == 5)
    _ = try heard.wait(forCount: 1)
    close(client)
    #expect(thread.join() == 0)
    close(listener)
    #expect(heard.all == ["hello"])
  }

  @Test func aSocketThatCanBeWritten() throws {
    let ends = try Ends()
    let socket = ends.output
    let written = EventCounter()
    let writeNext: @Sendable () -> Void = { written.increment() }
    // block: PosixAndCoreFoundation/write
    let writable = DispatchSource.makeWriteSource(fileDescriptor: socket, queue: .global())
    writable.setEventHandler {
      writeNext()
      writable.cancel()  // or suspend, until there is more to write
    }
    writable.activate()
    // end
    try written.wait(for: 1)
    withExtendedLifetime(ends) {}
  }

  @Test func aRequestAndItsReplyBetweenThreads() throws {
    let server = ServerThread(Port())
    // block: PosixAndCoreFoundation/reply
    let answer = ask(
      server.port, "ready", answers: Port(), until: Date(timeIntervalSinceNow: 60))  // "READY"
    // end
    #expect(answer == "READY")
    server.end()
  }

  @Test func aRequestAndItsReplyBetweenProcesses() throws {
    let folder = try TemporaryFolder()
    let (path, ownPath) = ("\(folder.path)/server", "\(folder.path)/client")
    // block: PosixAndCoreFoundation/local-server
    // The server; its run loop serves the port.
    let stream = Int32(SOCK_STREAM.rawValue)
    let port = SocketPort(
      protocolFamily: AF_UNIX, socketType: stream, protocol: 0, address: localAddress(path))!
    // end
    let server = ServerThread(port)
    do {
      // block: PosixAndCoreFoundation/local-client
      // The client.
      let stream = Int32(SOCK_STREAM.rawValue)
      let server = SocketPort(
        remoteWithProtocolFamily: AF_UNIX, socketType: stream, protocol: 0,
        address: localAddress(path))
      let own = SocketPort(
        protocolFamily: AF_UNIX, socketType: stream, protocol: 0, address: localAddress(ownPath))!
      let answer = ask(server, "ready", answers: own, until: Date(timeIntervalSinceNow: 60))
      // end
      #expect(answer == "READY")
    }
    server.end()
  }

  @Test func aWakeUpWithoutContent() throws {
    let woken = EventCounter()
    let (isUp, shared) = (DispatchSemaphore(value: 0), Guarded<(CFRunLoop, CFRunLoopSource)?>(nil))
    let reload: @Sendable () -> Void = {
      woken.increment()
      CFRunLoopStop(CFRunLoopGetCurrent())
    }
    let thread = JoinableThread {
      // block: PosixAndCoreFoundation/wake
      var context = CFRunLoopSourceContext()
      context.perform = { _ in reload() }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
      // end
      shared.withValue { $0 = (CFRunLoopGetCurrent(), source) }
      isUp.signal()
      CFRunLoopRun()
    }
    thread.start()
    isUp.wait()
    let (loop, source) = try #require(shared.current)
    // block: PosixAndCoreFoundation/wake
    // On another thread, which has the loop and its source:
    CFRunLoopSourceSignal(source)
    CFRunLoopWakeUp(loop)
    // end
    thread.join()
    #expect(woken.value == 1)
  }

  // MARK: Helpers of the tests

  /// A stream that no child of another test inherits: the peer would not see that it is closed.
  private func makeStream() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
  }

  private func listen() throws -> Int32 {
    let made = makeStream()
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(made, $0, size) }
    }
    try #require(bound == 0 && Glibc.listen(made, 4) == 0)
    return made
  }

  private func connect(to listener: Int32) throws -> Int32 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let made = makeStream()
    let connected = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(listener, $0, &size) == 0 ? Glibc.connect(made, $0, size) : -1
      }
    }
    try #require(connected == 0)
    return made
  }
}

/// A thread whose loop serves a port with `Upcase`.
private struct ServerThread {
  let port: Port
  private let thread: JoinableThread<Void, Never>

  init(_ port: Port) {
    self.port = port
    thread = JoinableThread {
      let delegate = Upcase()
      port.setDelegate(delegate)
      RunLoop.current.add(port, forMode: .default)
      while port.isValid { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      withExtendedLifetime(delegate) {}
    }
    thread.start()
  }

  func end() {
    port.invalidate()
    thread.join()
  }
}
