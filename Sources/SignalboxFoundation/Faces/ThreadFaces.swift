// ThreadFaces — the names of Foundation that are ours here: threads, run loops, ports.

public import SignalboxRunLoop
public import SignalboxThreads

/// A thread, with attributes that are in effect: ``/SignalboxThreads/Thread``.
public typealias Thread = SignalboxThreads.Thread

/// How soon work is wanted, with Apple's raw values and not the toolchain's:
/// ``/SignalboxThreads/QualityOfService``.
public typealias QualityOfService = SignalboxThreads.QualityOfService

/// What a thread serves, and sleeps between: ``/SignalboxRunLoop/RunLoop``.
public typealias RunLoop = SignalboxRunLoop.RunLoop

/// What fires on a run loop when its date has come: ``/SignalboxRunLoop/Timer``.
public typealias Timer = SignalboxRunLoop.Timer

/// An end of a channel, whose messages a run loop delivers: ``/SignalboxRunLoop/Port``.
public typealias Port = SignalboxRunLoop.Port

/// Whoever handles the messages of a port: ``/SignalboxRunLoop/PortDelegate``.
public typealias PortDelegate = SignalboxRunLoop.PortDelegate

/// A message of ports, with components, an id, and whom to answer:
/// ``/SignalboxRunLoop/PortMessage``.
public typealias PortMessage = SignalboxRunLoop.PortMessage

/// A port on a socket, which other processes reach: ``/SignalboxRunLoop/SocketPort``.
public typealias SocketPort = SignalboxRunLoop.SocketPort

/// The number of a socket: ``/SignalboxRunLoop/SocketNativeHandle``.
public typealias SocketNativeHandle = SignalboxRunLoop.SocketNativeHandle

/// A port for messages between the threads of a process, by a name that the toolchain calls
/// unavailable: ``/SignalboxRunLoop/MessagePort``.
public typealias MessagePort = SignalboxRunLoop.MessagePort
