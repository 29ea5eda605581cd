// A program whose queues, groups and semaphores are used as the toolchain's, as C's and as
// Signalbox's. It runs the scenario that is its argument and prints `done`, or where something did
// not hold.

import Glibc

let scenario = CommandLine.arguments.dropFirst().first ?? ""
guard let run = scenarios[scenario] ?? misuses[scenario] else { exit(64) }
run()
print("done")

/// Ends the program with the line of the call unless the condition holds.
@Sendable func expect(_ holds: Bool, line: Int = #line, file: String = #fileID) {
  if holds { return }
  print("\(file):\(line) does not hold")
  exit(1)
}
