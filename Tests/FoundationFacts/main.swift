// FoundationFacts — a program that imports SignalboxFoundation and not `Testing`, run by tests that
// need its main thread, that count, or that start processes. It starts and prints like
// `CountedFacts`.
//
//
//     FoundationFacts SCENARIO [ARGUMENT …]

import SignalboxFoundation

typealias Scenario = @Sendable () -> Void

let scenarios =
  foundationLoopScenarios
  .merging(notificationScenarios) { one, _ in one }
  .merging(processScenarios) { one, _ in one }
  .merging(bridgeScenarios) { one, _ in one }
let arguments = CommandLine.arguments
guard arguments.count > 1, let scenario = scenarios[arguments[1]] else {
  fail("usage: FoundationFacts SCENARIO [ARGUMENT …]", scenarios.keys.sorted())
}
// SIGALRM ends a scenario that hangs.
alarm(120)
scenario()
