// TraceFacts — a program that is recorded, or records itself, for tests that read the recording.
//
// It is a process of its own because there is one recorder in a process, because the environment
// is read before `main`, and because some of it crashes.
//
//     TraceFacts SCENARIO [ARGUMENT …]

import Glibc

let arguments = CommandLine.arguments
guard arguments.count > 1, let scenario = scenarios[arguments[1]] else {
  fail("usage: TraceFacts \(scenarios.keys.sorted().joined(separator: "|")) [ARGUMENT …]")
}
// A scenario that hangs ends here by SIGALRM, not with the machine.
alarm(120)
scenario(Array(arguments.dropFirst(2)))
