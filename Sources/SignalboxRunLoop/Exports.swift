// Exports — the module whose threads have run loops, with the dates it brings.

@_exported public import SignalboxThreads
