// Ports — a subclass of the program's own, delegates, messages and their copies.

import Foundation

final class Memory: Port {
  private var held: (any PortDelegate)?
  private var valid = true
  private(set) var loops = 0

  override func setDelegate(_ anObject: (any PortDelegate)?) { held = anObject }
  override func delegate() -> (any PortDelegate)? { held }
  override var isValid: Bool { valid }
  override var reservedSpaceLength: Int { 4 }

  override func invalidate() {
    valid = false
    NotificationCenter.default.post(name: Port.didBecomeInvalidNotification, object: self)
  }

  override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) { loops += 1 }
  override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { loops -= 1 }
}

final class Receiver: PortDelegate {
  func handle(_ message: PortMessage) {
    let parts = message.components ?? []
    print("message \(message.msgid), \(parts.count) parts, \(message.receivePort == nil)")
    print("of a memory:", message.sendPort is Memory)
    for part in parts { print("part:", (part as? NSData)?.length ?? 0) }
  }
}

enum Ports {
  static func run() {
    let port = Memory()
    let receiver = Receiver()
    print(port.isValid, port.delegate() == nil, port.reservedSpaceLength)
    port.setDelegate(receiver)
    print(port.delegate() === receiver)
    let message = PortMessage(
      sendPort: port, receivePort: nil, components: [NSData(data: Data([1, 2, 3]))])
    message.msgid = 5
    print(message.sendPort === port, message.receivePort == nil, message.components?.count ?? 0)
    port.delegate()?.handle(message)
    let copy = message.copy(with: nil) as? PortMessage
    print(copy?.msgid ?? 0, copy?.components?.count ?? 0)

    let loop = RunLoop.current
    loop.add(port, forMode: .default)
    print(port.loops)
    loop.remove(port, forMode: .default)
    print(port.loops)
    asPort(port)

    let note = NotificationCenter.default.addObserver(
      forName: Port.didBecomeInvalidNotification, object: port, queue: nil
    ) { note in
      print(note.name.rawValue, (note.object as? Port)?.isValid ?? true)
    }
    let base: Port = port
    base.invalidate()
    print(port.isValid)
    NotificationCenter.default.removeObserver(note)
  }

  /// The same through the base class, as in a program that accepts any port.
  static func asPort(_ port: Port) {
    print((port.copy(with: nil) as? Port) === port, port.isValid, port.reservedSpaceLength)
    port.schedule(in: .main, forMode: .common)
    port.remove(from: .main, forMode: .common)
    port.setDelegate(nil)
    print(port.delegate() == nil)
  }
}
