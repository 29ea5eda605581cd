// Exports — the module in whose queues operations run.

@_exported public import SignalboxDispatch
@_exported public import SignalboxThreads
