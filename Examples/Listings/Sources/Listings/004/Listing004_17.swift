import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_17 = Listing(
    "004-17", heading: "Using port objects",
    shows: "the delegate checks the message id",
    outcome: "it reports that message 1000 came and is a print task; others go elsewhere",
    rows: ["R5"]
  ) { story in
    let isHandled = DispatchSemaphore(value: 0)
    let controller = Document004.PortController { _ in isHandled.signal() }
    let main = LoopThread()
    main.run {
      controller.viewDidLoad { port in
        for id in [7, controller.printMessageId, 0] {
          port.send(before: .distantFuture, msgid: id, components: nil, from: nil, reserved: 0)
        }
      }
    }
    for _ in 1...3 { isHandled.wait() }
    main.end()
    story.tell(controller.console)
    story.check(
      controller.console.lines,
      is: [
        "Another message: 7",
        "Receive the message that id is 1000 and this is a print task.",
        "Another message: 0",
      ], "each by its id, in the order in which they were sent")
  }
}

extension Document004.PortController: PortDelegate {
  func handle(_ message: PortMessage) {
    let messageId = message.msgid
    if messageId == UInt32(printMessageId) {
      console.append("Receive the message that id is 1000 and this is a print task.")
    } else {
      console.append("Another message: \(messageId)")
    }
    wasHandled(message)
  }
}
