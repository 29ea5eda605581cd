@_exported public import SignalboxDispatch
