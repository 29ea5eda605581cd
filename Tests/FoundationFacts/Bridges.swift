// Bridges that are misused.

import SignalboxFoundation

let bridgeScenarios: [String: Scenario] = [
  "underlying-queue-of-a-foundation-queue": {
    let mistake = Dispatch.DispatchQueue(label: "org.signalbox.mistake")
    FoundationOperationQueue(runningOn: OperationQueue()).underlyingQueue = mistake
  },

  "underlying-queue-of-a-forwarding-queue": {
    let mistake = DispatchQueue(label: "org.signalbox.mistake")
    ForwardingOperationQueue(to: Foundation.OperationQueue()).underlyingQueue = mistake
  },
]
