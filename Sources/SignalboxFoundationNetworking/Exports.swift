// Exports — re-exports FoundationNetworking behind SignalboxFoundation.

@_exported public import FoundationNetworking
@_exported public import SignalboxFoundation
