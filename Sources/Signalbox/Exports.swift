// Exports — everything, under one import.

@_exported public import SignalboxDispatch
@_exported public import SignalboxLocks
@_exported public import SignalboxOperations
@_exported public import SignalboxPatterns
@_exported public import SignalboxRunLoop
@_exported public import SignalboxThreads
@_exported public import SignalboxTrace
@_exported public import struct FoundationEssentials.Data
@_exported public import struct FoundationEssentials.Date
@_exported public import typealias FoundationEssentials.TimeInterval
