// HandOff — one way in which the library passes what one thread wrote to another.

import Glibc

struct HandOff: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(_ name: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

let handOffs =
  queueHandOffs + waitingHandOffs + engineHandOffs + lockHandOffs + conditionHandOffs
  + sharedLockHandOffs + threadHandOffs + sourceHandOffs
  + signalHandOffs + performHandOffs + loopHandOffs + operationHandOffs + traceHandOffs

/// Each takes about a second, and a few seconds under ThreadSanitizer on a busy machine.
let handOffLimitInSeconds: UInt32 = 120

/// How often a hand-off runs if its threads take turns; ThreadSanitizer needs one round.
let turnRounds = 40

/// How often a hand-off runs if its threads meet by chance.
let chanceRounds = 400

/// Ends the program with a message on standard error.
func fatal(_ message: String) -> Never {
  let text = message + "\n"
  _ = text.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, text.utf8.count) }
  exit(2)
}

func expect(_ value: Int, _ wanted: Int, _ what: String) {
  if value != wanted { fatal("\(what): \(value) and not \(wanted)") }
}
