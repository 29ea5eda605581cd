// ObjectTests — our objects where Foundation expects its own.

import SignalboxFoundation
import SignalboxFoundationNetworking
import Testing

struct ObjectTests {
  // SAFETY: it has no state of its own.
  private final class Fetch: Operation, URLSessionDataDelegate, @unchecked Sendable {
    override var description: String { "fetch" }
  }

  private final class Alarm: Timer {
    override var description: String { "alarm" }
  }

  private final class Letterbox: Port, @unchecked Sendable {  // SAFETY: as above.
    override var description: String { "letterbox" }
  }

  private func objects() -> [any NSObjectProtocol] {
    [
      Thread {}, RunLoop.main, Timer(timeInterval: 1, repeats: false) { _ in }, Operation(),
      BlockOperation {}, OperationQueue(), NSLock(), NSRecursiveLock(), NSCondition(),
      NSConditionLock(condition: 1), PortMessage(sendPort: nil, receivePort: nil, components: nil),
    ]
  }

  @Test func eachIsEqualToItselfAndToNoOther() {
    let all = objects()
    for (index, object) in all.enumerated() {
      for (other, another) in all.enumerated() {
        #expect(object.isEqual(another) == (index == other), "\(object), \(another)")
      }
      #expect(!object.isEqual(nil))
      #expect(!object.isEqual("text"))
      #expect(object.hash == object.hash)
      #expect(object.`self`() === object)
      #expect(!object.isProxy())
    }
  }

  @Test func descriptionAndDebugDescriptionAreEqual() {
    for object in objects() {
      #expect(String(reflecting: object) == "\(object)")
      #expect("\(object)" != "\(type(of: object))")
    }
  }

  @Test func aSubclassDescribesItself() {
    let alarm = Alarm(fire: Date(), interval: 1, repeats: false) { _ in }
    let objects: [any NSObjectProtocol] = [alarm, Letterbox()]
    #expect(objects.map { "\($0)" } == ["alarm", "letterbox"])
    #expect(objects.map { $0.debugDescription } == ["alarm", "letterbox"])
  }

  @Test func anOperationIsTheDelegateOfASession() {
    let fetch = Fetch()
    let session = URLSession(configuration: .ephemeral, delegate: fetch, delegateQueue: nil)
    #expect(session.delegate === fetch)
    #expect(fetch.debugDescription == "fetch")
    session.invalidateAndCancel()
  }

  @Test func aQueueReportsItsProgress() {
    let queue = OperationQueue()
    let reporting: any ProgressReporting = queue
    #expect(reporting.progress === queue.progress)
  }

  @Test func portsWithTheSameAddressAreEqual() throws {
    let port = try #require(SocketPort(tcpPort: 0))
    let remote = SocketPort(
      remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
      protocol: port.protocol, address: port.address)
    let object: any NSObjectProtocol = port
    #expect(object.isEqual(remote) == (port == remote))
    #expect(object.isEqual(port))
    remote.invalidate()
    port.invalidate()
  }

  @Test func copyingAMessageMakesAnotherCopyingAPortReturnsIt() throws {
    let port = SocketPort()
    let copying: any NSCopying = port
    #expect(copying.copy(with: nil) as? Port === port)
    let message = PortMessage(sendPort: port, receivePort: nil, components: nil)
    message.msgid = 7
    let copy = try #require((message as any NSCopying).copy(with: nil) as? PortMessage)
    #expect(copy !== message)
    #expect(copy.msgid == 7)
    #expect(copy.sendPort === port)
    port.invalidate()
  }
}
