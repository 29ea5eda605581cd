// QueueFaces — the names of Dispatch that are ours here: queues, work, data, times.
//
// A name that two re-exported modules declare is ambiguous; one that this module declares
// itself hides both. So each name that clashes has an alias here, in the order of the
// toolchain's own files.

public import SignalboxDispatch

/// What queues, groups, semaphores, sources and channels have in common:
/// ``/SignalboxDispatch/DispatchObject``.
public typealias DispatchObject = SignalboxDispatch.DispatchObject

/// Where work waits for its turn: ``/SignalboxDispatch/DispatchQueue``.
public typealias DispatchQueue = SignalboxDispatch.DispatchQueue

/// A key for values that queues carry: ``/SignalboxDispatch/DispatchSpecificKey``.
public typealias DispatchSpecificKey = SignalboxDispatch.DispatchSpecificKey

/// How urgent work is, by a class and a priority within it: ``/SignalboxDispatch/DispatchQoS``.
public typealias DispatchQoS = SignalboxDispatch.DispatchQoS

/// Work as an object, which can be waited for, notified of and cancelled:
/// ``/SignalboxDispatch/DispatchWorkItem``.
public typealias DispatchWorkItem = SignalboxDispatch.DispatchWorkItem

/// How a work item is to be run: ``/SignalboxDispatch/DispatchWorkItemFlags``.
public typealias DispatchWorkItemFlags = SignalboxDispatch.DispatchWorkItemFlags

/// A count of work, which tells when it is zero: ``/SignalboxDispatch/DispatchGroup``.
public typealias DispatchGroup = SignalboxDispatch.DispatchGroup

/// A count of permits; who finds none waits: ``/SignalboxDispatch/DispatchSemaphore``.
public typealias DispatchSemaphore = SignalboxDispatch.DispatchSemaphore

/// Whether what was waited for came in time: ``/SignalboxDispatch/DispatchTimeoutResult``.
public typealias DispatchTimeoutResult = SignalboxDispatch.DispatchTimeoutResult

/// A channel, whose reads and writes of a descriptor hold no thread:
/// ``/SignalboxDispatch/DispatchIO``.
public typealias DispatchIO = SignalboxDispatch.DispatchIO

/// Bytes in shared pieces of memory: ``/SignalboxDispatch/DispatchData``.
public typealias DispatchData = SignalboxDispatch.DispatchData

/// Goes through the bytes of a `DispatchData`: ``/SignalboxDispatch/DispatchDataIterator``.
public typealias DispatchDataIterator = SignalboxDispatch.DispatchDataIterator

/// A point in time on the clock that stands still while the machine sleeps:
/// ``/SignalboxDispatch/DispatchTime``.
public typealias DispatchTime = SignalboxDispatch.DispatchTime

/// A point in time by the wall clock: ``/SignalboxDispatch/DispatchWallTime``.
public typealias DispatchWallTime = SignalboxDispatch.DispatchWallTime

/// A span of time, in a unit of one's choice: ``/SignalboxDispatch/DispatchTimeInterval``.
public typealias DispatchTimeInterval = SignalboxDispatch.DispatchTimeInterval

/// What `dispatchPrecondition` asserts: ``/SignalboxDispatch/DispatchPredicate``.
public typealias DispatchPredicate = SignalboxDispatch.DispatchPredicate
