// Exports — the modules whose types stand in this one's interface: points in time to wait
// until, and the sums that they are used in.

@_exported public import SignalboxDispatch
@_exported public import SignalboxLocks
