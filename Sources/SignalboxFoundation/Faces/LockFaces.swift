// LockFaces — the names of Foundation that are ours here: locks.

public import SignalboxLocks

/// What can be locked, and unlocked by the thread that locked it: ``/SignalboxLocks/NSLocking``.
public typealias NSLocking = SignalboxLocks.NSLocking

/// A lock that one thread holds at a time: ``/SignalboxLocks/NSLock``.
public typealias NSLock = SignalboxLocks.NSLock

/// A lock that its holder may take again, and leaves as often: ``/SignalboxLocks/NSRecursiveLock``.
public typealias NSRecursiveLock = SignalboxLocks.NSRecursiveLock

/// A lock, and the threads that wait until something is so: ``/SignalboxLocks/NSCondition``.
public typealias NSCondition = SignalboxLocks.NSCondition

/// A lock with a number, for which a thread can wait: ``/SignalboxLocks/NSConditionLock``.
public typealias NSConditionLock = SignalboxLocks.NSConditionLock
