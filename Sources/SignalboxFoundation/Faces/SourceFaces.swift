// SourceFaces — the names of Dispatch that are ours here: sources and their protocols.

public import SignalboxDispatch

/// What submits a handler when an event comes: ``/SignalboxDispatch/DispatchSource``.
public typealias DispatchSource = SignalboxDispatch.DispatchSource

/// What a source calls: ``/SignalboxDispatch/DispatchSourceHandler``.
public typealias DispatchSourceHandler = SignalboxDispatch.DispatchSourceHandler

/// What all kinds of sources have in common: ``/SignalboxDispatch/DispatchSourceProtocol``.
public typealias DispatchSourceProtocol = SignalboxDispatch.DispatchSourceProtocol

/// A source that tells when a descriptor can be read: ``/SignalboxDispatch/DispatchSourceRead``.
public typealias DispatchSourceRead = SignalboxDispatch.DispatchSourceRead

/// A source that tells when a descriptor can be written:
/// ``/SignalboxDispatch/DispatchSourceWrite``.
public typealias DispatchSourceWrite = SignalboxDispatch.DispatchSourceWrite

/// A source that tells of a signal: ``/SignalboxDispatch/DispatchSourceSignal``.
public typealias DispatchSourceSignal = SignalboxDispatch.DispatchSourceSignal

/// A source that tells when a time has come: ``/SignalboxDispatch/DispatchSourceTimer``.
public typealias DispatchSourceTimer = SignalboxDispatch.DispatchSourceTimer

/// A source whose data is a sum of what was added:
/// ``/SignalboxDispatch/DispatchSourceUserDataAdd``.
public typealias DispatchSourceUserDataAdd = SignalboxDispatch.DispatchSourceUserDataAdd

/// A source whose data is what was combined, bit by bit:
/// ``/SignalboxDispatch/DispatchSourceUserDataOr``.
public typealias DispatchSourceUserDataOr = SignalboxDispatch.DispatchSourceUserDataOr

/// A source whose data is what was set last: ``/SignalboxDispatch/DispatchSourceUserDataReplace``.
public typealias DispatchSourceUserDataReplace = SignalboxDispatch.DispatchSourceUserDataReplace
