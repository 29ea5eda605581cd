// Exports — FoundationNetworking, behind the face of Foundation.

@_exported public import FoundationNetworking
@_exported public import SignalboxFoundation
