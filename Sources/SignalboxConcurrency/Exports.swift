// Exports — re-exports SignalboxDispatch, because tasks wait for its queues and groups.

@_exported public import SignalboxDispatch
