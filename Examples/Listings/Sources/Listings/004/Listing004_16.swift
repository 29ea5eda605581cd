import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_16 = Listing(
    "004-16", heading: "Using port objects",
    shows: "main makes a port, becomes its delegate, adds it to its loop, starts a thread with it",
    outcome: "what the thread sends to the port is handled by main",
    truth:
      "a Mach port belongs to another kernel: a plain port connects the threads of a "
      + "process. It does not keep its delegate",
    rows: ["R5", "R4", "T1"]
  ) { story in
    let threads = Cell<[String: UInt]>([:])
    let isHandled = DispatchSemaphore(value: 0)
    let controller = Document004.PortController { _ in
      threads.withValue { $0["handled"] = Place.thread }
      isHandled.signal()
    }
    let main = LoopThread()
    main.run {
      threads.withValue { $0["main"] = Place.thread }
      controller.viewDidLoad { port in
        threads.withValue { $0["sent"] = Place.thread }
        port.send(before: .distantFuture, msgid: 7, components: nil, from: nil, reserved: 0)
      }
    }
    isHandled.wait()
    main.end()
    let seen = threads.value
    story.check(seen["sent"] != seen["main"], "the port is handed to a thread of its own")
    story.check(seen["handled"] == seen["main"], "and what comes is handled on main's thread")
    story.check(controller.console.lines, is: ["Another message: 7"], "by the delegate")

    let delegates = onLoopThread { _ in
      var controller: Document004.PortController? = Document004.PortController()
      let port = Port()
      port.setDelegate(controller)
      let isSet = port.delegate() === controller
      controller = nil
      return [isSet, port.delegate() == nil]
    }
    story.check(delegates[0], "the port knows its delegate")
    story.check(delegates[1], "as long as somebody else keeps it")
  }
}

extension Document004 {
  /// The document's view controller: main's side of the ports.
  final class PortController: Sendable {
    let printMessageId = 1000
    let console = Transcript()
    /// Told of each message that was handled.
    let wasHandled: @Sendable (PortMessage) -> Void

    init(wasHandled: @escaping @Sendable (PortMessage) -> Void = { _ in }) {
      self.wasHandled = wasHandled
    }

    @discardableResult
    func viewDidLoad(launchThread: @escaping @Sendable (Port) -> Void) -> Port {
      let mainThreadPort = Port()
      mainThreadPort.setDelegate(self)
      RunLoop.current.add(mainThreadPort, forMode: .default)
      Thread.detachNewThread { launchThread(mainThreadPort) }
      return mainThreadPort
    }
  }
}
