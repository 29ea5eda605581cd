// Exports — the module for whose queues and groups tasks wait.

@_exported public import SignalboxDispatch
