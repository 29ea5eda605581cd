// ConcurrencyFacts — a program without `Testing` whose main is not `async`, run by tests of
// Swift's concurrency on either pool. Adoption belongs to the whole process.
//
//     ConcurrencyFacts WAY SCENARIO [ARGUMENT …]
//
// Facts are told one `name=value` a line, as `CountedFacts` tells them.

import ConcurrencyScenarios
import Glibc

let words = CommandLine.arguments
guard words.count > 2, let way = Way(rawValue: words[1]) else {
  fail("usage: ConcurrencyFacts WAY SCENARIO [ARGUMENT …]", Way.allCases.map(\.rawValue))
}
// A scenario that hangs ends here by SIGALRM, not with the machine.
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
