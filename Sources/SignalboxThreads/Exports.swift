// Exports — the module whose types and date operators appear in this one's interface.

@_exported public import SignalboxLocks
