// MadeOnce — what this module makes at its first use, for who forks to wait for; see the file of
// this name in `SignalboxRuntime`.

import SignalboxRuntime

enum MadeOnce {
  static func make() {
    waitForMaking(ObjectLocks.rows)
    waitForMaking(LockMisuse.said)
  }
}
