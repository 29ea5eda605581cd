// A program whose main thread is in Foundation's main run loop, which serves the main queue.
//
// With an argument it uses another part of Foundation.

import Foundation

let loop = RunLoop.main
// SAFETY: only the main thread uses it.
nonisolated(unsafe) var turns = 0

@Sendable func turn() {
  guard Thread.isMainThread else { exit(1) }
  turns += 1
  if turns == 100 {
    print("done")
    exit(0)
  }
  // From another thread while the loop sleeps, or from this one.
  if turns % 2 == 0 {
    DispatchQueue.main.async { turn() }
  } else {
    DispatchQueue.global().async { DispatchQueue.main.async { turn() } }
  }
}

switch CommandLine.arguments.dropFirst().first {
case "handles":
  FileHandles.run()
  loop.run()
case "processes": Processes.run()
default:
  DispatchQueue.global().async { DispatchQueue.main.async { turn() } }
  loop.run()
}
