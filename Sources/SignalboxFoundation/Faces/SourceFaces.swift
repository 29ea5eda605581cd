// SourceFaces — the names of Dispatch that are ours here: sources and their protocols.

public import SignalboxDispatch

public typealias DispatchSource = SignalboxDispatch.DispatchSource
public typealias DispatchSourceHandler = SignalboxDispatch.DispatchSourceHandler
public typealias DispatchSourceProtocol = SignalboxDispatch.DispatchSourceProtocol
public typealias DispatchSourceRead = SignalboxDispatch.DispatchSourceRead
public typealias DispatchSourceWrite = SignalboxDispatch.DispatchSourceWrite
public typealias DispatchSourceSignal = SignalboxDispatch.DispatchSourceSignal
public typealias DispatchSourceTimer = SignalboxDispatch.DispatchSourceTimer
public typealias DispatchSourceUserDataAdd = SignalboxDispatch.DispatchSourceUserDataAdd
public typealias DispatchSourceUserDataOr = SignalboxDispatch.DispatchSourceUserDataOr
public typealias DispatchSourceUserDataReplace = SignalboxDispatch.DispatchSourceUserDataReplace
