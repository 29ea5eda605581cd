// Exports — re-exports the module whose queues and groups tasks wait for.

@_exported public import SignalboxDispatch
