// MainMisuse — misuse that needs the process's first thread, on which a test's own body never
// runs. Each scenario ends in a trap.

import SignalboxDispatch

let mainMisuseScenarios: [String: Scenario] = [
  "sync-onto-main-from-an-item-of-main": {
    DispatchQueue.main.async { DispatchQueue.main.sync {} }
    dispatchMain()
  },
  "sync-onto-main-from-the-main-thread": {
    DispatchQueue.main.sync {}
  },
  "sync-onto-main-from-a-queue-that-targets-main": {
    let queue = DispatchQueue(label: "org.signalbox.crash.on-main", target: .main)
    queue.async { DispatchQueue.main.sync {} }
    dispatchMain()
  },
]
