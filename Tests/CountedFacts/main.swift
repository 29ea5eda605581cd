// CountedFacts — a program without `Testing`, run by tests that count.
//
// `Testing` loads Foundation and the toolchain's own Dispatch, whose threads and
// wake-ups would be counted with ours. So a test starts this program with
// the name of a scenario and reads the facts that it prints, one `name=value` on each line.
//
//     CountedFacts SCENARIO [ARGUMENT …]

import Glibc

let arguments = CommandLine.arguments
guard arguments.count > 1, let scenario = scenarios[arguments[1]] else {
  fail("usage: CountedFacts SCENARIO [ARGUMENT …]", scenarios.keys.sorted())
}
// SIGALRM ends a scenario that hangs.
alarm(scenarioLimitInSeconds)
scenario.run()
