// OperationFaces — the names of Foundation that are ours here: operations and their queues.

public import SignalboxOperations

public typealias Operation = SignalboxOperations.Operation
public typealias BlockOperation = SignalboxOperations.BlockOperation
public typealias OperationQueue = SignalboxOperations.OperationQueue
