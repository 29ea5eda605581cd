// Exports — re-exports the modules whose queues and threads run operations.

@_exported public import SignalboxDispatch
@_exported public import SignalboxThreads
