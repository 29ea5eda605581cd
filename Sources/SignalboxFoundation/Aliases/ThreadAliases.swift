// ThreadAliases — Foundation's names for threads, run loops and ports, as aliases of ours.

public import SignalboxRunLoop
public import SignalboxThreads

/// A thread whose attributes take effect: ``/SignalboxThreads/Thread``.
public typealias Thread = SignalboxThreads.Thread

/// How soon work is wanted, with Apple's raw values rather than the toolchain's:
/// ``/SignalboxThreads/QualityOfService``.
public typealias QualityOfService = SignalboxThreads.QualityOfService

/// A thread's event loop: ``/SignalboxRunLoop/RunLoop``.
public typealias RunLoop = SignalboxRunLoop.RunLoop

/// A timer that fires on a run loop: ``/SignalboxRunLoop/Timer``.
public typealias Timer = SignalboxRunLoop.Timer

/// An end of a channel whose messages a run loop delivers: ``/SignalboxRunLoop/Port``.
public typealias Port = SignalboxRunLoop.Port

/// Handles the messages of a port: ``/SignalboxRunLoop/PortDelegate``.
public typealias PortDelegate = SignalboxRunLoop.PortDelegate

/// A message between ports, with components, an id, and a port for answers:
/// ``/SignalboxRunLoop/PortMessage``.
public typealias PortMessage = SignalboxRunLoop.PortMessage

/// A port on a socket, which other processes reach: ``/SignalboxRunLoop/SocketPort``.
public typealias SocketPort = SignalboxRunLoop.SocketPort

/// The descriptor of a socket: ``/SignalboxRunLoop/SocketNativeHandle``.
public typealias SocketNativeHandle = SignalboxRunLoop.SocketNativeHandle

/// A port for messages between the threads of a process, under a name that the toolchain marks
/// as unavailable: ``/SignalboxRunLoop/MessagePort``.
public typealias MessagePort = SignalboxRunLoop.MessagePort
