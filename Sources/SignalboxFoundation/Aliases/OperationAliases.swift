// OperationAliases — Foundation's names for operations and their queues, as aliases of ours.

public import SignalboxOperations

/// A piece of work with dependencies and a priority: ``/SignalboxOperations/Operation``.
public typealias Operation = SignalboxOperations.Operation

/// An operation that runs closures concurrently: ``/SignalboxOperations/BlockOperation``.
public typealias BlockOperation = SignalboxOperations.BlockOperation

/// A queue that runs operations, up to a limit at a time: ``/SignalboxOperations/OperationQueue``.
public typealias OperationQueue = SignalboxOperations.OperationQueue
