// MadeOnce — the statics that this module initializes at first use, so that a forking thread can
// wait for their initialization; see the file of the same name in `SignalboxRuntime`.

import SignalboxRuntime

enum MadeOnce {
  static func make() {
    waitForMaking(ObjectLocks.rows)
    waitForMaking(LockMisuse.said)
  }
}
