// LongHandlers — a long handler after many short ones. The polling worker has learned to call no
// other worker, and must not delay the other handlers.

import Glibc
import SignalboxDispatch

package enum LongHandlerScenario: String, CountedScenario {
  case handlersThatWaitInTheKernel = "handlers-that-wait-in-the-kernel"
  case handlersThatWaitAtADoor = "handlers-that-wait-at-a-door"
}

extension LongHandlerScenario: Scenario {
  func run() {
    switch self {
    case .handlersThatWaitInTheKernel:
      meet(Meeting.inTheKernel)
    case .handlersThatWaitAtADoor:
      meet(Meeting.atADoor)
    }
  }
}

/// Two handlers on queues of their own, each waiting for the other.
private enum Meeting {
  case inTheKernel, atADoor
}

/// - Note: The argument is the number of meetings.
private func meet(_ kind: Meeting) {
  let sides = [Side("a"), Side("b")]
  let meeting = DispatchGroup()
  var met = 0
  let shorts = DispatchSemaphore(value: 0)
  let sources = sides.indices.map { index in
    let (own, other) = (sides[index], sides[1 - index])
    let source = DispatchSource.makeReadSource(fileDescriptor: own.calls.input, queue: own.queue)
    source.setEventHandler {
      guard take(from: own.calls.input) == Call.meet else { return _ = shorts.signal() }
      switch kind {
      case .inTheKernel:
        put(Call.meet, into: other.arrivals.output)
        _ = take(from: own.arrivals.input)
      case .atADoor:
        other.hasArrived.signal()
        own.hasArrived.wait()
      }
      meeting.leave()
    }
    source.activate()
    return source
  }
  for _ in 0..<integerArgument(0, default: 20) {
    // Enough short handlers to establish their pace. Each changes the thread twice, which takes
    // long beside other programs.
    for number in 0..<100 {
      put(Call.short, into: sides[number % 2].calls.output)
      shorts.wait()
    }
    for side in sides {
      meeting.enter()
      put(Call.meet, into: side.calls.output)
    }
    meeting.wait()
    met += 1
  }
  report("met", met)
  for source in sources { source.cancel() }
}

private enum Call {
  static let short: UInt8 = 1
  static let meet: UInt8 = 2
}

private struct Side: Sendable {
  let queue: DispatchQueue
  let calls = makePipe()
  let arrivals = makePipe()
  let hasArrived = DispatchSemaphore(value: 0)

  init(_ name: String) { queue = DispatchQueue(label: "org.signalbox.facts.meeting.\(name)") }
}

private func take(from descriptor: Int32) -> UInt8 {
  var byte: UInt8 = 0
  while read(descriptor, &byte, 1) < 0 {}
  return byte
}
