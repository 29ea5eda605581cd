// Exports — the module whose types and sums of dates stand in this one's interface.

@_exported public import SignalboxLocks
