// MainMisuse — misuse that needs the process's first thread, on which a test's own body never
// runs. Each scenario ends in a trap.

import SignalboxDispatch

package enum MainMisuseScenario: String, CountedScenario {
  case syncOntoMainFromAnItemOfMain = "sync-onto-main-from-an-item-of-main"
  case syncOntoMainFromTheMainThread = "sync-onto-main-from-the-main-thread"
  case syncOntoMainFromAQueueThatTargetsMain = "sync-onto-main-from-a-queue-that-targets-main"
}

extension MainMisuseScenario: Scenario {
  func run() {
    switch self {
    case .syncOntoMainFromAnItemOfMain:
      DispatchQueue.main.async { DispatchQueue.main.sync {} }
      dispatchMain()
    case .syncOntoMainFromTheMainThread:
      DispatchQueue.main.sync {}
    case .syncOntoMainFromAQueueThatTargetsMain:
      let queue = DispatchQueue(label: "org.signalbox.crash.on-main", target: .main)
      queue.async { DispatchQueue.main.sync {} }
      dispatchMain()
    }
  }
}
