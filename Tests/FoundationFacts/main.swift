// FoundationFacts — a program with the face of Foundation and without `Testing`, run by tests
// that need its main thread, or that count. It is started as `CountedFacts` is, and tells as
// that does.
//
//     FoundationFacts SCENARIO [ARGUMENT …]

import SignalboxFoundation

typealias Scenario = @Sendable () -> Void

let scenarios = foundationLoopScenarios.merging(bridgeScenarios) { one, _ in one }
let arguments = CommandLine.arguments
guard arguments.count > 1, let scenario = scenarios[arguments[1]] else {
  fail("usage: FoundationFacts SCENARIO [ARGUMENT …]", scenarios.keys.sorted())
}
// A scenario that hangs ends here by SIGALRM, not with the machine.
alarm(120)
scenario()
