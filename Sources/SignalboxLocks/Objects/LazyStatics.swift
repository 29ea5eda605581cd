// LazyStatics — the static properties of this module that the Swift runtime initializes on first
// use; see the file of this name in `SignalboxRuntime`.

import SignalboxRuntime

enum LazyStatics {
  static func force() {
    forceInitialized(ObjectLocks.rows)
    forceInitialized(LockMisuse.said)
  }
}
