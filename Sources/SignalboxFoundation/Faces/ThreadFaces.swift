// ThreadFaces — the names of Foundation that are ours here: threads, run loops, ports.

public import SignalboxRunLoop
public import SignalboxThreads

public typealias Thread = SignalboxThreads.Thread
public typealias QualityOfService = SignalboxThreads.QualityOfService

public typealias RunLoop = SignalboxRunLoop.RunLoop
public typealias Timer = SignalboxRunLoop.Timer

public typealias Port = SignalboxRunLoop.Port
public typealias PortDelegate = SignalboxRunLoop.PortDelegate
public typealias PortMessage = SignalboxRunLoop.PortMessage
public typealias SocketPort = SignalboxRunLoop.SocketPort
public typealias SocketNativeHandle = SignalboxRunLoop.SocketNativeHandle

/// Unavailable in the toolchain, which would say so.
public typealias MessagePort = SignalboxRunLoop.MessagePort
