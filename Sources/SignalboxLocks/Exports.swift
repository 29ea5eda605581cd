// Exports — re-exports the types in which programs state time limits.

@_exported public import struct FoundationEssentials.Date
@_exported public import typealias FoundationEssentials.TimeInterval
