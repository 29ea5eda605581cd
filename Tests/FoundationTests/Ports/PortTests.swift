import SignalboxFoundation
import SignalboxTestSupport
import Testing

struct PortTests {
  private final class Listener: PortDelegate {
    let heard = EventLog<String>()

    func handle(_ message: PortMessage) {
      let words = (message.components ?? []).map { (component: AnyObject) in
        if let data = component as? NSData { return "\(data.length) bytes" }
        return component is Port ? "a port" : "\(type(of: component))"
      }
      heard.append("\(message.msgid): \(words.joined(separator: ", "))")
    }
  }

  /// Returns what a port receives, on a thread with a loop of its own, when `send` sends to it.
  private func heard(_ send: @escaping @Sendable (Port) -> Void) throws -> [String] {
    try onPlainThread {
      let (port, listener) = (Port(), Listener())
      port.setDelegate(listener)
      RunLoop.current.add(port, forMode: .default)
      send(port)
      RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: loopLimit))
      port.invalidate()
      return listener.heard.all
    }
  }

  @Test func componentsAreObjects() throws {
    let heard = try heard { port in
      port.send(
        before: .distantFuture, msgid: 3, components: [Data([1, 2]), Port()], from: nil,
        reserved: 0)
    }
    #expect(heard == ["3: 2 bytes, a port"])
  }

  @Test func arraysOfFoundationsAreSent() throws {
    let heard = try heard { port in
      let components = NSMutableArray(array: [NSData(data: Data([1, 2, 3])), Data([4])])
      port.send(
        before: .distantFuture, msgid: 4, components: components, from: nil, reserved: 0)
    }
    #expect(heard == ["4: 3 bytes, 1 bytes"])
  }

  @Test func nothingIsNotAmbiguous() throws {
    let heard = try heard { port in
      port.send(before: .distantFuture, msgid: 5, components: nil, from: nil, reserved: 0)
    }
    #expect(heard == ["5: "])
  }

  @Test func messagesAreMadeOfObjects() {
    let objects: [AnyObject] = [NSData(data: Data([1])), Port()]
    let message = PortMessage(sendPort: nil, receivePort: nil, components: objects)
    #expect(message.components?.count == 2)
    let copied = message.copy(with: nil) as? PortMessage
    #expect(copied?.components?.count == 2)
    #expect(PortMessage(sendPort: nil, receivePort: nil, components: nil).components == nil)
  }

  @Test func portsAreEqualByTheirAddress() throws {
    let port = try #require(SocketPort(tcpPort: 0))
    let same = SocketPort(
      remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
      protocol: port.protocol, address: port.address)
    #expect(port.isEqual(same))
    #expect(port.hash == same.hash)
    #expect(!port.isEqual("a port"))
    #expect(port.copy(with: nil) as? Port === port)
    port.invalidate()
  }
}
