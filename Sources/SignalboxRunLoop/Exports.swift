// Exports — re-exports the module whose threads have run loops, and the bytes that ports send.

@_exported public import struct FoundationEssentials.Data
@_exported public import SignalboxThreads
