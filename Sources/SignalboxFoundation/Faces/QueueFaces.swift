// QueueFaces — the names of Dispatch that are ours here: queues, work, data, times.
//
// A name that two re-exported modules declare is ambiguous; one that this module declares
// itself hides both. So each name that clashes has an alias here, in the order of the
// toolchain's own files.

public import SignalboxDispatch

public typealias DispatchObject = SignalboxDispatch.DispatchObject
public typealias DispatchQueue = SignalboxDispatch.DispatchQueue
public typealias DispatchSpecificKey = SignalboxDispatch.DispatchSpecificKey
public typealias DispatchQoS = SignalboxDispatch.DispatchQoS
public typealias DispatchWorkItem = SignalboxDispatch.DispatchWorkItem
public typealias DispatchWorkItemFlags = SignalboxDispatch.DispatchWorkItemFlags
public typealias DispatchGroup = SignalboxDispatch.DispatchGroup
public typealias DispatchSemaphore = SignalboxDispatch.DispatchSemaphore
public typealias DispatchTimeoutResult = SignalboxDispatch.DispatchTimeoutResult

public typealias DispatchIO = SignalboxDispatch.DispatchIO
public typealias DispatchData = SignalboxDispatch.DispatchData
public typealias DispatchDataIterator = SignalboxDispatch.DispatchDataIterator

public typealias DispatchTime = SignalboxDispatch.DispatchTime
public typealias DispatchWallTime = SignalboxDispatch.DispatchWallTime
public typealias DispatchTimeInterval = SignalboxDispatch.DispatchTimeInterval

public typealias DispatchPredicate = SignalboxDispatch.DispatchPredicate
