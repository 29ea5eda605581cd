// SourceAliases — Dispatch's names for sources and their protocols, as aliases of ours.

public import SignalboxDispatch

/// Submits a handler when an event occurs: ``/SignalboxDispatch/DispatchSource``.
public typealias DispatchSource = SignalboxDispatch.DispatchSource

/// The closure that a source calls: ``/SignalboxDispatch/DispatchSourceHandler``.
public typealias DispatchSourceHandler = SignalboxDispatch.DispatchSourceHandler

/// What all kinds of sources have in common: ``/SignalboxDispatch/DispatchSourceProtocol``.
public typealias DispatchSourceProtocol = SignalboxDispatch.DispatchSourceProtocol

/// A source that fires when a descriptor is readable: ``/SignalboxDispatch/DispatchSourceRead``.
public typealias DispatchSourceRead = SignalboxDispatch.DispatchSourceRead

/// A source that fires when a descriptor is writable: ``/SignalboxDispatch/DispatchSourceWrite``.
public typealias DispatchSourceWrite = SignalboxDispatch.DispatchSourceWrite

/// A source that fires when a signal arrives: ``/SignalboxDispatch/DispatchSourceSignal``.
public typealias DispatchSourceSignal = SignalboxDispatch.DispatchSourceSignal

/// A source that fires at a time: ``/SignalboxDispatch/DispatchSourceTimer``.
public typealias DispatchSourceTimer = SignalboxDispatch.DispatchSourceTimer

/// A source whose data is the sum of the values that you add:
/// ``/SignalboxDispatch/DispatchSourceUserDataAdd``.
public typealias DispatchSourceUserDataAdd = SignalboxDispatch.DispatchSourceUserDataAdd

/// A source whose data is the bitwise or of the values that you pass:
/// ``/SignalboxDispatch/DispatchSourceUserDataOr``.
public typealias DispatchSourceUserDataOr = SignalboxDispatch.DispatchSourceUserDataOr

/// A source whose data is the last value that you set:
/// ``/SignalboxDispatch/DispatchSourceUserDataReplace``.
public typealias DispatchSourceUserDataReplace = SignalboxDispatch.DispatchSourceUserDataReplace
