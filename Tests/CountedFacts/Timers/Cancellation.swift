// Cancellation — what a cancelled `asyncAfter` leaves behind.

import SignalboxDispatch

package enum CancellationScenario: String, CountedScenario {
  case capturesOfACancelledAsyncAfter = "captures-of-a-cancelled-async-after"
  case cancelledAsyncAftersAreFreed = "cancelled-async-afters-are-freed"
}

extension CancellationScenario: Scenario {
  func run() {
    switch self {
    case .capturesOfACancelledAsyncAfter:
      let count = integerArgument(0, default: 1000)
      let queue = DispatchQueue(label: "org.signalbox.facts.cancelled")
      let alive = Tally()
      let ran = Tally()
      var items: [DispatchWorkItem] = []
      for number in 0..<count {
        let captured = Tracked(alive)
        let item = DispatchWorkItem { withExtendedLifetime(captured) { _ = ran.increment() } }
        let delay = DispatchTimeInterval.seconds(3600 + number)
        if number % 2 == 0 {
          queue.asyncAfter(deadline: .now() + delay, execute: item)
        } else {
          queue.asyncAfter(wallDeadline: .now() + delay, execute: item)
        }
        items.append(item)
      }
      report("capturedWhilePending", alive.count)
      // The item itself is still held here, but its captures are released all the same.
      var heldAfterCancel = 0
      for (number, item) in items.enumerated() {
        item.cancel()
        if alive.count != count - number - 1 { heldAfterCancel += 1 }
      }
      report("heldAfterCancel", heldAfterCancel)
      report("alive", alive.count)
      report("cancelled", items.count { $0.isCancelled })
      queue.sync {}
      report("ran", ran.count)
    case .cancelledAsyncAftersAreFreed:
      leftovers(of: scheduleAndCancel)
    }
  }
}

private func scheduleAndCancel(_ count: Int, _ ran: Tally) {
  let queue = DispatchQueue(label: "org.signalbox.facts.cancelled")
  for _ in 0..<count {
    let item = DispatchWorkItem { ran.increment() }
    queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
    item.cancel()
  }
}
