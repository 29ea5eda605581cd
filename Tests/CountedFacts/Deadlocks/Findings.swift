// Findings — deadlocks and stuck pools that a handler receives as values.

import Glibc
import SignalboxDispatch
import SignalboxLocks

package enum FindingScenario: String, CountedScenario {
  case deadlockAsValues = "deadlock-as-values"
  case lockTakenTwiceAsValues = "lock-taken-twice-as-values"
  case stuckPoolAsValues = "stuck-pool-as-values"
}

extension FindingScenario: Scenario {
  func run() {
    // Queues that wait for each other also hold the pool up, so that both kinds are found, in any
    // order.
    let isEither = self == .deadlockAsValues
    for kind in BlockedReport.Finding.Kind.allCases where !isEither || kind == .deadlock {
      BlockedReport.onFinding(of: kind) { finding in
        report(finding)
        exit(EXIT_SUCCESS)
      }
    }
    switch self {
    case .deadlockAsValues:
      let (a, b) = (DispatchQueue(label: "values.a"), DispatchQueue(label: "values.b"))
      let (aIsTaken, bIsTaken) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      a.async {
        aIsTaken.signal()
        bIsTaken.wait()
        b.sync {}
      }
      b.async {
        bIsTaken.signal()
        aIsTaken.wait()
        a.sync {}
      }
    case .lockTakenTwiceAsValues:
      let lock = NSLock()
      lock.name = "values"
      DispatchQueue(label: "values.queue").async {
        lock.lock()
        lock.lock()
      }
    case .stuckPoolAsValues:
      let never = DispatchSemaphore(value: 0)
      let queue = DispatchQueue(label: "values.stuck")
      queue.async { never.wait() }
      queue.async {}
    }
    while true { pause() }
  }
}

private func report(_ finding: BlockedReport.Finding) {
  report("kind", finding.kind.rawValue)
  report("isFinal", "\(finding.isFinal)")
  report("text", finding.text.prefix { $0 != "\n" }.description)
  let threads = finding.threads
  report("numbers", "\(threads.map(\.number))")
  report("owners", "\(threads.map { $0.owner ?? 0 })")
  report("queues", "\(threads.map(\.queues))")
  report("waits", threads.map { "\($0.reason) \($0.resource)" }.joined(separator: "; "))
  report("functions", threads.map { $0.functions.first ?? "" }.joined(separator: "; "))
  report("hasWaited", "\(threads.map { $0.waited > .zero })")
  let isSane = threads.allSatisfy {
    $0.kernelID > 0 && $0.name.hasPrefix("sb-default-") && $0.waited < .seconds(600) && !$0.isTimed
  }
  report("isSane", "\(isSane)")
}
