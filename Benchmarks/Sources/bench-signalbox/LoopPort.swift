// A port of a thread's loop: ours.

import SignalboxRunLoop

/// A port in the default mode of the thread's loop that makes it.
final class LoopPort: Sendable {
  private let port = MessagePort()
  private let handler: Handler

  // SAFETY: called on the thread that made it, as the loop calls it.
  private final class Handler: PortDelegate, @unchecked Sendable {
    private let receive: (Int) -> Void

    init(_ receive: @escaping (Int) -> Void) { self.receive = receive }

    func handle(_ message: PortMessage) { receive(Int(message.msgid)) }
  }

  init(_ receive: @escaping (_ number: Int) -> Void) {
    handler = Handler(receive)
    port.setDelegate(handler)
    RunLoop.current.add(port, forMode: .default)
  }

  func send(_ number: Int, from sender: LoopPort?) {
    port.send(
      before: .distantFuture, msgid: number, components: nil, from: sender?.port, reserved: 0)
  }
}
