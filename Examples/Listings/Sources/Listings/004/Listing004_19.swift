import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_19 = Listing(
    "004-19", heading: "Using port objects",
    shows:
      "a message with send port, receive port and no components gets an id and is sent with one "
      + "second's limit",
    outcome: "main's delegate receives it",
    truth: "the receiver finds the ports exchanged; the limit is for a full port",
    rows: ["R5"]
  ) { story in
    let received = Cell<(id: UInt32, components: Int, from: Port?, to: Port?)?>(nil)
    let isHandled = DispatchSemaphore(value: 0)
    let controller = Document004.PortController { message in
      received.value = (
        message.msgid, message.components?.count ?? 0, message.sendPort, message.receivePort
      )
      isHandled.signal()
    }
    let main = LoopThread()
    let mainThreadPort = Cell<Port?>(nil)
    main.run { mainThreadPort.value = controller.viewDidLoad { _ in } }
    let worker = Document004.PortWorker()
    let secondaryThreadPort = Port()
    let isSent = worker.sendPrintMessage(
      mainThreadPort.value!, receivePort: secondaryThreadPort)
    isHandled.wait()
    main.end()
    let message = received.value
    story.tell(controller.console)
    story.check(isSent, "the message is sent")
    story.check(
      controller.console.lines,
      is: ["Receive the message that id is 1000 and this is a print task."],
      "main's delegate takes it for what it is")
    story.check(message?.id, is: 1000, "it has its id")
    story.check(message?.components, is: 0, "and no components")
    story.check(message?.from === secondaryThreadPort, "answers go to the worker's port")
    story.check(message?.to === mainThreadPort.value, "it came to main's")

    // The limit.
    let full = Port()
    var count = 0
    while count < 1_000, Document004.send(to: full, before: .distantPast) { count += 1 }
    story.check(count, is: 256, "a port that nobody reads takes so many, also without time")
    let start = DispatchTime.now().uptimeNanoseconds
    let isSentToFull = Document004.send(to: full, before: Date(timeIntervalSinceNow: 0.02))
    let waited = DispatchTime.now().uptimeNanoseconds - start
    story.tell("waited \(waited / 1_000_000) ms for room")
    story.check(!isSentToFull, "the next one is not sent")
    story.check(waited >= 10_000_000, "the sender waits for room, up to its limit")
    full.invalidate()
    story.check(
      !Document004.send(to: full, before: .distantFuture), "nor is one to an invalid port, at once")
  }
}

extension Document004.PortWorker {
  /// - Returns: whether it was sent.
  @discardableResult
  func sendPrintMessage(_ sendPort: Port, receivePort: Port) -> Bool {
    let portMessage = PortMessage(sendPort: sendPort, receivePort: receivePort, components: nil)
    portMessage.msgid = UInt32(1000)
    return portMessage.send(before: Date(timeIntervalSinceNow: 1))
  }
}

extension Document004 {
  fileprivate static func send(to port: Port, before limit: Date) -> Bool {
    port.send(before: limit, components: nil, from: nil, reserved: 0)
  }
}
