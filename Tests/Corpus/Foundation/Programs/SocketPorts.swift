// SocketPorts — ports of the machine and their properties.

import Foundation

enum SocketPorts {
  static func run() {
    guard let port = SocketPort(tcpPort: 0) else { return print("no port") }
    print(port.protocolFamily == AF_INET, port.protocol == Int32(IPPROTO_TCP))
    print(port.socketType == Int32(SOCK_STREAM.rawValue), port.socket >= 0, port.isValid)
    print(port.address.count, port.delegate() == nil, port.hash == port.hash)
    print(port.isEqual(port), port.isEqual("another"), port == port)

    let remote = SocketPort(
      remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
      protocol: port.protocol, address: port.address)
    print(remote.address == port.address, remote.isEqual(remote), remote.isValid)
    let named = SocketPort(remoteWithTCPPort: 9, host: "127.0.0.1")
    print(named?.protocolFamily == AF_INET, named?.address.count ?? 0)
    let own = SocketPort(
      protocolFamily: AF_INET, socketType: Int32(SOCK_STREAM.rawValue),
      protocol: Int32(IPPROTO_TCP), address: port.address)
    print(own == nil)
    let wrapped = SocketPort(
      protocolFamily: AF_INET, socketType: Int32(SOCK_STREAM.rawValue),
      protocol: Int32(IPPROTO_TCP), socket: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    print(wrapped?.socketType == port.socketType)
    print(port.reservedSpaceLength >= 0)
    sends(remote)
    port.schedule(in: .current, forMode: .default)
    port.remove(from: .current, forMode: .default)

    let plain = SocketPort()
    print(plain.isValid)
    for each in [plain, remote, port] { each.invalidate() }
    print(plain.isValid, port.isValid)
  }

  /// Sends through the base class's members, as a program does that accepts any port.
  static func sends(_ port: Port) {
    let limit = Date(timeIntervalSinceNow: 10)
    let parts = NSMutableArray(array: [NSData(data: Data([1, 2, 3]))])
    print(port.send(before: limit, components: nil, from: nil, reserved: 0))
    print(port.send(before: limit, msgid: 1, components: parts, from: nil, reserved: 0))
    let message = PortMessage(sendPort: port, receivePort: nil, components: [NSData()])
    print(message.send(before: limit))
  }
}
