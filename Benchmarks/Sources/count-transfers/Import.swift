// What the shared files use, as in the programs that are timed.

@_exported public import SignalboxDispatch
@_exported public import SignalboxLocks
