// Exports — the module whose threads have run loops, with the dates it brings, and the bytes
// that ports send.

@_exported public import struct FoundationEssentials.Data
@_exported public import SignalboxThreads
