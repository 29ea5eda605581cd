// Exports — what SignalboxDispatch is on Apple's systems.

@_exported public import Dispatch
