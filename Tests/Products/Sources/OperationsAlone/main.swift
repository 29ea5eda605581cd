// A program that imports SignalboxOperations and nothing else.

import SignalboxOperations

let queue = OperationQueue()
queue.name = "org.example.operations"
for _ in 0..<5 { queue.addOperation {} }
queue.waitUntilAllOperationsAreFinished()
print("done")
