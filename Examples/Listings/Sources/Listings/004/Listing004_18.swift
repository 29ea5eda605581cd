import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_18 = Listing(
    "004-18", heading: "Using port objects",
    shows:
      "the worker makes its own port, adds it, sends, and runs its loop in the default mode",
    outcome: "main gets the message; the worker's loop waits for the worker's port",
    truth:
      "such a run ends with the first message that comes; a worker that continues runs the "
      + "loop again",
    rows: ["R5", "R9", "T1"]
  ) { story in
    let worker = Document004.PortWorker()
    let hasRun = Cell(false)
    let hasEnded = DispatchSemaphore(value: 0)
    let controller = Document004.PortController { message in
      message.sendPort?.send(
        before: .distantFuture, msgid: 1001, components: nil, from: nil, reserved: 0)
    }
    let main = LoopThread()
    main.run {
      controller.viewDidLoad { port in
        hasRun.value = worker.launchThread(withPort: port)
        hasEnded.signal()
      }
    }
    hasEnded.wait()
    main.end()
    story.tell(controller.console)
    story.check(
      controller.console.lines,
      is: ["Receive the message that id is 1000 and this is a print task."],
      "main has the worker's message")
    story.check(worker.received.value, is: [1001], "the worker has main's answer, by its own port")
    story.check(hasRun.value, "which ended its run, long before the date")

    let runsWithoutPort = onLoopThread { _ in
      RunLoop.current.run(mode: .default, before: .distantFuture)
    }
    story.check(!runsWithoutPort, "without the port there is nothing to wait for, nor a run")
  }
}

extension Document004 {
  /// The document's worker class: the second thread's side of the ports.
  final class PortWorker: PortDelegate, Sendable {
    let received = Cell<[UInt32]>([])

    /// - Returns: whether the loop ran.
    func launchThread(withPort port: Port) -> Bool {
      let secondaryThreadPort = Port()
      secondaryThreadPort.setDelegate(self)
      let runloop = RunLoop.current
      runloop.add(secondaryThreadPort, forMode: .default)
      sendPrintMessage(port, receivePort: secondaryThreadPort)
      return runloop.run(mode: .default, before: Date(timeIntervalSinceNow: 500))
    }

    func handle(_ message: PortMessage) {
      received.withValue { $0.append(message.msgid) }
    }
  }
}
