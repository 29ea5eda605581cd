// Exports — re-exports the module with the types and date operators that this module's interface
// uses.

@_exported public import SignalboxLocks
