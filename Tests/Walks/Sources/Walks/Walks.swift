// Walks — walks one path through the library, and writes which of its functions it called.
//
// The walk is its first argument. The program first walks the path a few times, so that nothing is
// done for the first time. It then sets the counters of coverage to 0, walks the path once more,
// and writes them to the file that LLVM_PROFILE_FILE names. `SIGNALBOX_WORKERS=1` keeps other
// workers away.

import CCoverage
import Glibc

enum Walk: String, CaseIterable {
  case async, sync, lock, timer, operation, pass, event
}

@main
enum Walks {
  static func main() {
    guard CommandLine.arguments.count == 2, let walk = Walk(rawValue: CommandLine.arguments[1])
    else { fail("Usage: Walks " + Walk.allCases.map(\.rawValue).joined(separator: "|")) }
    switch walk {
    case .async: walkAsync()
    case .sync: walkSync()
    case .lock: walkLock()
    case .timer: walkTimer()
    case .operation: walkOperation()
    case .pass: walkPass()
    case .event: walkEvent()
    }
  }
}

/// The walk begins, once all other threads sleep.
func begin() {
  while otherThreadsRun() { sched_yield() }
  __llvm_profile_reset_counters()
}

/// The walk is over. Any thread.
func end() -> Never {
  if __llvm_profile_write_file() != 0 { fail("the counters could not be written") }
  // At a usual exit they would be written again.
  _exit(0)
}

/// The calling thread leaves the rest of the walk to others.
func leaveToOthers() -> Never {
  while true { pause() }
}

func fail(_ message: String) -> Never {
  var line = message + "\n"
  _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(2)
}
