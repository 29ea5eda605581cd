// Exports — re-exports the module of threads, each of which has a run loop, and the type of the
// bytes that ports send.

@_exported public import struct FoundationEssentials.Data
@_exported public import SignalboxThreads
