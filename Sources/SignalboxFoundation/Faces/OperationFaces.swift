// OperationFaces — the names of Foundation that are ours here: operations and their queues.

public import SignalboxOperations

/// Work as an object, with dependencies and a priority: ``/SignalboxOperations/Operation``.
public typealias Operation = SignalboxOperations.Operation

/// An operation that runs closures, side by side: ``/SignalboxOperations/BlockOperation``.
public typealias BlockOperation = SignalboxOperations.BlockOperation

/// What runs operations, so many at a time: ``/SignalboxOperations/OperationQueue``.
public typealias OperationQueue = SignalboxOperations.OperationQueue
