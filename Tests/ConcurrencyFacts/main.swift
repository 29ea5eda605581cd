// ConcurrencyFacts — a program without `Testing` whose main is not `async`, run by tests of
// Swift's concurrency on either pool. Adoption applies to the whole process.
//
//     ConcurrencyFacts WAY SCENARIO [ARGUMENT …]
//
// It prints one fact `name=value` on each line, like `CountedFacts`.

import ConcurrencyScenarios
import Glibc

let words = CommandLine.arguments
guard words.count > 2, let way = Way(rawValue: words[1]) else {
  fail("usage: ConcurrencyFacts WAY SCENARIO [ARGUMENT …]", Way.allCases.map(\.rawValue))
}
// SIGALRM ends a scenario that hangs.
alarm(scenarioLimitInSeconds)
if let scenario = programScenarios[words[2]] {
  scenario(way)
} else if let scenario = taskScenarios[words[2]] {
  way.begin()
  way.run(scenario)
} else {
  fail(
    "no such scenario: \(words[2])", programScenarios.keys.sorted() + taskScenarios.keys.sorted())
}
