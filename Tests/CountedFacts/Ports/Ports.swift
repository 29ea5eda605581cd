// Ports — the cost of messages in system calls, and ports between two processes.

import CSystemCalls
import FoundationEssentials
import Glibc
import SignalboxRunLoop
import SignalboxThreads

package enum PortScenario: String, CountedScenario {
  case systemCallsOfMessagesToALoopThatRuns = "system-calls-of-messages-to-a-loop-that-runs"
  case systemCallsOfMessagesToOnesOwnLoop = "system-calls-of-messages-to-ones-own-loop"
  case portsBetweenProcesses = "ports-between-processes"
  case descriptorsOfSocketPorts = "descriptors-of-socket-ports"
}

extension PortScenario: Scenario {
  func run() {
    switch self {
    case .systemCallsOfMessagesToALoopThatRuns:
      SystemCallTrace.countOfMainThread {
        let (port, begun, goesOn, handled) = (Port(), Tally(), Tally(), Tally())
        // The first message blocks the receiver until all others are sent.
        let handler = Handler { message in
          begun.increment()
          while message.msgid == 0 && goesOn.count == 0 { sched_yield() }
          handled.increment()
        }
        port.setDelegate(handler)
        let thread = JoinableThread {
          RunLoop.current.add(port, forMode: .default)
          while handled.count < 101 { RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        thread.start()
        post(port, 0)
        while begun.count == 0 { sched_yield() }
        SystemCallTrace.counting { for number in 1...100 { post(port, number) } }
        goesOn.increment()
        thread.join()
        withExtendedLifetime(handler) {}
      }
    case .systemCallsOfMessagesToOnesOwnLoop:
      SystemCallTrace.countOfMainThread {
        let (port, handled) = (Port(), Tally())
        let handler = Handler { _ in handled.increment() }
        let mode = RunLoop.Mode("messages")
        port.setDelegate(handler)
        RunLoop.current.add(port, forMode: mode)
        post(port, 0)
        RunLoop.current.run(mode: mode, before: .distantPast)
        let until = Date.distantPast
        SystemCallTrace.counting {
          for number in 1...100 {
            post(port, number)
            RunLoop.current.run(mode: mode, before: until)
          }
        }
        if handled.count != 101 { fail("\(handled.count) messages were handled") }
        withExtendedLifetime(handler) {}
      }
    case .portsBetweenProcesses:
      let rounds = integerArgument(0, default: 50)
      let port = SocketPort()
      let child = csc_fork()
      if child == 0 { _exit(ask(port.address, rounds)) }
      let handled = Tally()
      let handler = Handler { message in
        let answer = PortMessage(
          sendPort: message.sendPort, receivePort: nil, components: message.components)
        answer.msgid = message.msgid + 1
        if !answer.send(before: soon) { fail("answer \(handled.count) was not sent") }
        handled.increment()
      }
      port.setDelegate(handler)
      RunLoop.current.add(port, forMode: .default)
      while handled.count < rounds { RunLoop.current.run(mode: .default, before: .distantFuture) }
      report("child", csc_wait(child))
      report("questions", handled.count)
      withExtendedLifetime(handler) {}
    case .descriptorsOfSocketPorts:
      let before = descriptors().count
      for _ in 0..<10 {
        let (port, handled) = (SocketPort(), Tally())
        let handler = Handler { _ in handled.increment() }
        port.setDelegate(handler)
        let mode = RunLoop.Mode("sockets")
        RunLoop.current.add(port, forMode: mode)
        let remotes = (0..<5).map { _ in
          SocketPort(
            remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
            protocol: port.protocol, address: port.address)
        }
        for remote in remotes { post(remote, 1) }
        while handled.count < 5 { RunLoop.current.run(mode: mode, before: .distantFuture) }
        port.invalidate()
        withExtendedLifetime((remotes, handler)) {}
      }
      // The loop's own two descriptors exist until its thread ends.
      report("left", descriptorsAtRest().count - before)
    }
  }
}

private final class Handler: PortDelegate, Sendable {
  private let body: @Sendable (PortMessage) -> Void
  init(_ body: @escaping @Sendable (PortMessage) -> Void) { self.body = body }
  func handle(_ message: PortMessage) { body(message) }
}

private var soon: Date { Date(timeIntervalSinceNow: 20) }

private func post(_ port: Port, _ number: Int) {
  let sent = port.send(
    before: .distantFuture, msgid: number, components: nil, from: nil, reserved: 0)
  if !sent { fail("message \(number) was not sent") }
}

/// Runs in the other process: asks, waits for the answer, and asks again.
private func ask(_ address: Data, _ rounds: Int) -> Int32 {
  let own = SocketPort()
  let server = SocketPort(
    remoteWithProtocolFamily: own.protocolFamily, socketType: own.socketType,
    protocol: own.protocol, address: address)
  let (answers, wrong) = (Tally(), Tally())
  let handler = Handler { message in
    let text = Data("question \(answers.count)".utf8)
    if message.msgid != UInt32(answers.count * 2 + 1) { wrong.increment() }
    if message.components?.first as? Data != text { wrong.increment() }
    answers.increment()
  }
  own.setDelegate(handler)
  RunLoop.current.add(own, forMode: .default)
  for round in 0..<rounds {
    let sent = server.send(
      before: soon, msgid: round * 2, components: [Data("question \(round)".utf8)], from: own,
      reserved: 0)
    if !sent { return 2 }
    while answers.count == round { RunLoop.current.run(mode: .default, before: .distantFuture) }
  }
  withExtendedLifetime(handler) {}
  return wrong.count == 0 ? 0 : 3
}
