// Exports — the types in which points in time are given.

@_exported public import struct FoundationEssentials.Date
@_exported public import typealias FoundationEssentials.TimeInterval
