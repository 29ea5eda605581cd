// HandOff — one way in which the library gives what one thread wrote to another.

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

/// Each takes a second or so; under ThreadSanitizer on a busy machine some.
let handOffLimitInSeconds: UInt32 = 120

/// How often a hand-off whose threads take turns is made: ThreadSanitizer needs one.
let turnRounds = 40

/// How often one is made whose threads meet by chance.
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
