// QueueAliases — Dispatch's names for queues, work, data and times, as aliases of ours.
//
// A name that two re-exported modules declare is ambiguous; a name that this module declares
// itself hides both. So each name that clashes has an alias here, in the order of the
// toolchain's own files.

public import SignalboxDispatch

/// The base of queues, groups, semaphores, sources and channels:
/// ``/SignalboxDispatch/DispatchObject``.
public typealias DispatchObject = SignalboxDispatch.DispatchObject

/// A queue of work: ``/SignalboxDispatch/DispatchQueue``.
public typealias DispatchQueue = SignalboxDispatch.DispatchQueue

/// A key for values that you attach to queues: ``/SignalboxDispatch/DispatchSpecificKey``.
public typealias DispatchSpecificKey = SignalboxDispatch.DispatchSpecificKey

/// The urgency of work, as a class and a priority within it: ``/SignalboxDispatch/DispatchQoS``.
public typealias DispatchQoS = SignalboxDispatch.DispatchQoS

/// Work that you can wait for, observe and cancel: ``/SignalboxDispatch/DispatchWorkItem``.
public typealias DispatchWorkItem = SignalboxDispatch.DispatchWorkItem

/// The options of a work item: ``/SignalboxDispatch/DispatchWorkItemFlags``.
public typealias DispatchWorkItemFlags = SignalboxDispatch.DispatchWorkItemFlags

/// A count of unfinished work that notifies when it is zero: ``/SignalboxDispatch/DispatchGroup``.
public typealias DispatchGroup = SignalboxDispatch.DispatchGroup

/// A count of permits; a thread that finds none waits: ``/SignalboxDispatch/DispatchSemaphore``.
public typealias DispatchSemaphore = SignalboxDispatch.DispatchSemaphore

/// Whether a wait ended in time: ``/SignalboxDispatch/DispatchTimeoutResult``.
public typealias DispatchTimeoutResult = SignalboxDispatch.DispatchTimeoutResult

/// A channel for reading and writing a descriptor without occupying a thread:
/// ``/SignalboxDispatch/DispatchIO``.
public typealias DispatchIO = SignalboxDispatch.DispatchIO

/// Bytes in shared pieces of memory: ``/SignalboxDispatch/DispatchData``.
public typealias DispatchData = SignalboxDispatch.DispatchData

/// Iterates over the bytes of a `DispatchData`: ``/SignalboxDispatch/DispatchDataIterator``.
public typealias DispatchDataIterator = SignalboxDispatch.DispatchDataIterator

/// A point in time on a clock that stops while the machine sleeps:
/// ``/SignalboxDispatch/DispatchTime``.
public typealias DispatchTime = SignalboxDispatch.DispatchTime

/// A point in time on the wall clock: ``/SignalboxDispatch/DispatchWallTime``.
public typealias DispatchWallTime = SignalboxDispatch.DispatchWallTime

/// A length of time, in a unit of your choice: ``/SignalboxDispatch/DispatchTimeInterval``.
public typealias DispatchTimeInterval = SignalboxDispatch.DispatchTimeInterval

/// The condition that `dispatchPrecondition` checks: ``/SignalboxDispatch/DispatchPredicate``.
public typealias DispatchPredicate = SignalboxDispatch.DispatchPredicate
