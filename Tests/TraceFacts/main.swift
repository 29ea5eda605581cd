// TraceFacts — a program that is recorded, or records itself, for tests that read the recording.
//
// It is a separate process because a process has only one recorder, because the environment is
// read before `main`, and because some scenarios crash.
//
//     TraceFacts SCENARIO [ARGUMENT …]

import Glibc

let arguments = CommandLine.arguments
guard arguments.count > 1, let scenario = scenarios[arguments[1]] else {
  fail("usage: TraceFacts \(scenarios.keys.sorted().joined(separator: "|")) [ARGUMENT …]")
}
// SIGALRM ends a scenario that hangs.
alarm(120)
scenario(Array(arguments.dropFirst(2)))
