// LockFaces — the names of Foundation that are ours here: locks.

public import SignalboxLocks

public typealias NSLocking = SignalboxLocks.NSLocking
public typealias NSLock = SignalboxLocks.NSLock
public typealias NSRecursiveLock = SignalboxLocks.NSRecursiveLock
public typealias NSCondition = SignalboxLocks.NSCondition
public typealias NSConditionLock = SignalboxLocks.NSConditionLock
