// SocketPortMessages — messages from one port of the machine to another.

import Foundation

enum SocketPortMessages {
  final class Receiver: PortDelegate {
    var received: [String] = []

    func handle(_ message: PortMessage) {
      received.append("\(message.msgid) with \(message.components?.count ?? 0)")
    }
  }

  static func run() {
    guard let port = SocketPort(tcpPort: 0) else { return print("no port") }
    let remote = SocketPort(
      remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
      protocol: port.protocol, address: port.address)
    let receiver = Receiver()
    port.setDelegate(receiver)
    port.schedule(in: .current, forMode: .default)
    let parts = NSMutableArray(array: [NSData(data: Data([1, 2, 3]))])
    let limit = Date(timeIntervalSinceNow: 30)
    let sent = [
      remote.send(before: limit, msgid: 7, components: parts, from: port, reserved: 0),
      remote.send(before: limit, components: parts, from: port, reserved: 0),
    ]
    while receiver.received.count < 2, limit.timeIntervalSinceNow > 0 {
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.005))
    }
    print(sent, receiver.received)
    port.remove(from: .current, forMode: .default)
    remote.invalidate()
    port.invalidate()
  }
}
