// The only file that differs between the two programs: whose Dispatch and
// whose threads and locks they are.
// `@_exported` lets the shared files see it without an import of their own.

@_exported public import SignalboxConcurrency
@_exported public import SignalboxDispatch
@_exported public import SignalboxFoundation
@_exported public import SignalboxLocks
@_exported public import SignalboxOperations
@_exported public import SignalboxPatterns
@_exported public import SignalboxRunLoop
@_exported public import SignalboxThreads

let implementation = "signalbox"

/// Has tasks and actors run on the pool that is measured.
func adoptExecutors() {
  do { try SignalboxExecutors.adopt() } catch { fatalError("\(error)") }
}

/// On which tasks sleep.
let sleepingClock = SignalboxClock()
