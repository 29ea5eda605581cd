// CountedFacts — a program without `Testing`, run by tests that count.
//
// `Testing` loads Foundation and the toolchain's own Dispatch, whose threads and
// wake-ups would be counted with ours. So a test starts this program with
// the name of a scenario and reads the facts that it prints, one `name=value` on each line.
//
//     CountedFacts SCENARIO [ARGUMENT …]
//
// Swift's library reads the arguments from /proc. Where none is mounted, the variable COUNTED_FACTS
// has the words instead.

import Glibc

let words = getenv("COUNTED_FACTS").map { String(cString: $0) } ?? ""
let arguments =
  CommandLine.arguments.isEmpty
  ? ["CountedFacts"] + words.split(separator: " ").map(String.init) : CommandLine.arguments
guard arguments.count > 1, let scenario = scenarios[arguments[1]] else {
  fail("usage: CountedFacts SCENARIO [ARGUMENT …]", scenarios.keys.sorted())
}
// SIGALRM ends a scenario that hangs.
alarm(scenarioLimitInSeconds)
scenario.run()
