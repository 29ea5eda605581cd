// LockAliases — Foundation's names for locks, as aliases of ours.

public import SignalboxLocks

/// An object that can be locked, and unlocked by the thread that locked it:
/// ``/SignalboxLocks/NSLocking``.
public typealias NSLocking = SignalboxLocks.NSLocking

/// A lock that one thread holds at a time: ``/SignalboxLocks/NSLock``.
public typealias NSLock = SignalboxLocks.NSLock

/// A lock that its holder may lock again, and unlocks once for each time:
/// ``/SignalboxLocks/NSRecursiveLock``.
public typealias NSRecursiveLock = SignalboxLocks.NSRecursiveLock

/// A lock with a condition that threads can wait for: ``/SignalboxLocks/NSCondition``.
public typealias NSCondition = SignalboxLocks.NSCondition

/// A lock with a number that a thread can wait for: ``/SignalboxLocks/NSConditionLock``.
public typealias NSConditionLock = SignalboxLocks.NSConditionLock
