// Exports — the type in which limits of a wait are given.

@_exported public import struct FoundationEssentials.Date
@_exported public import typealias FoundationEssentials.TimeInterval
