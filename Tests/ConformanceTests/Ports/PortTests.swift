// PortTests — ports as in Apple's "Threading Programming Guide": two threads that check in with
// each other.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

/// The document's message numbers.
private enum Message {
  static let checkIn: UInt32 = 100
  static let work: UInt32 = 1000
  static let stop: UInt32 = 1001
  static let done: UInt32 = 1002
}

/// The main side: learns the worker's port from its first message, and sends work there.
private final class Launcher: PortDelegate, Sendable {
  let log = EventLog<String>()
  private let worker = Guarded<Port?>(nil)
  private let own: Port

  init(_ own: Port) { self.own = own }

  func handle(_ message: PortMessage) {
    switch message.msgid {
    case Message.checkIn:
      log.append("checked in")
      worker.withValue { $0 = message.sendPort }
      send(Message.work, [Data("a page".utf8)])
    case Message.done:
      let text = message.components?.first as? Data
      log.append(text.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")
      send(Message.stop, nil)
      CFRunLoopStop(CFRunLoopGetCurrent())
    default:
      log.append("unknown \(message.msgid)")
    }
  }

  private func send(_ number: UInt32, _ components: [Any]?) {
    let message = PortMessage(
      sendPort: worker.current, receivePort: own, components: components)
    message.msgid = number
    if !message.send(before: Date(timeIntervalSinceNow: loopLimit)) {
      log.append("not sent")
    }
  }
}

/// The second thread: checks in, does the work that arrives, and stops on
/// request.
private final class Worker: PortDelegate, Sendable {
  private let hasToStop = Guarded(false)
  let log = EventLog<String>()

  func run(_ launcher: Port) {
    let own = Port()
    own.setDelegate(self)
    RunLoop.current.add(own, forMode: .default)
    checkIn(launcher, own)
    while !hasToStop.current {
      RunLoop.current.run(mode: .default, before: .distantFuture)
    }
    own.invalidate()
    log.append("cleaned up")
  }

  private func checkIn(_ launcher: Port, _ own: Port) {
    let message = PortMessage(sendPort: launcher, receivePort: own, components: nil)
    message.msgid = Message.checkIn
    if !message.send(before: Date(timeIntervalSinceNow: loopLimit)) {
      log.append("not sent")
    }
  }

  func handle(_ message: PortMessage) {
    switch message.msgid {
    case Message.work:
      let text = (message.components?.first as? Data).map { String(decoding: $0, as: UTF8.self) }
      let answer = PortMessage(
        sendPort: message.sendPort, receivePort: message.receivePort,
        components: [Data("printed \(text ?? "nothing")".utf8)])
      answer.msgid = Message.done
      if !answer.send(before: Date(timeIntervalSinceNow: loopLimit)) {
        log.append("not sent")
      }
    case Message.stop:
      log.append("told to stop")
      hasToStop.withValue { $0 = true }
    default:
      log.append("unknown \(message.msgid)")
    }
  }
}

@Suite("Configuring a port-based input source")
struct PortTests {
  @Test func twoThreadsCheckInAndTheReplyArrivesOnTheSendPort() throws {
    let worker = Worker()
    let heard = try onPlainThread {
      let own = Port()
      let launcher = Launcher(own)
      own.setDelegate(launcher)
      RunLoop.current.add(own, forMode: .default)
      let thread = try PlainThread { worker.run(own) }
      CFRunLoopRunInMode(.defaultMode, loopLimit, false)
      try thread.join()
      own.invalidate()
      return launcher.log.all
    }
    #expect(heard == ["checked in", "printed a page"])
    #expect(worker.log.all == ["told to stop", "cleaned up"])
  }

  @Test func aMessageStopsAThreadBetweenTwoPiecesOfALongJob() throws {
    let control = Port()
    let worker = Worker()
    control.setDelegate(worker)
    let pieces = EventLog<Int>()
    let ready = Gate("the first pieces")
    let thread = try PlainThread {
      RunLoop.current.add(control, forMode: .default)
      while worker.log.count == 0 {
        pieces.append(pieces.count)
        if pieces.count == 3 { ready.open() }
        RunLoop.current.run(mode: .default, before: .distantPast)
      }
      control.invalidate()
    }
    try ready.wait()
    let message = PortMessage(sendPort: control, receivePort: nil, components: nil)
    message.msgid = Message.stop
    #expect(message.send(before: .distantFuture))
    try thread.join()
    #expect(worker.log.all == ["told to stop"])
    #expect(pieces.count >= 3)
  }

  @Test func aLoopWithAPortStaysAndOneWithoutLeaves() {
    let mode = RunLoop.Mode("a port alone")
    #expect(!RunLoop.current.run(mode: mode, before: .distantPast))
    let port = Port()
    RunLoop.current.add(port, forMode: mode)
    #expect(RunLoop.current.run(mode: mode, before: .distantPast))
    #expect(RunLoop.current.limitDate(forMode: mode) == .distantFuture)
    port.invalidate()
    #expect(!RunLoop.current.run(mode: mode, before: .distantPast))
  }
}
