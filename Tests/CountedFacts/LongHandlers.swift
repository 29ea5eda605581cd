// A handler that takes long after many that were short: the worker that polls has learned to
// call nobody, and must not hold the others up.

import Glibc
import SignalboxDispatch

let longHandlerScenarios: [String: Scenario] = [
  "handlers-that-wait-in-the-kernel": { meet(Meeting.inTheKernel) },
  "handlers-that-wait-at-a-door": { meet(Meeting.atADoor) },
]

/// Two handlers, on queues of their own, each of which waits for the other.
private enum Meeting {
  case inTheKernel, atADoor
}

/// - Note: the argument says how often they meet.
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
    // So many that the handlers' pace is known.
    for number in 0..<200 {
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
