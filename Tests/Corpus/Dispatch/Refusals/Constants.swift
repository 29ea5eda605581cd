// Constants — which values may be shared between threads.

import Dispatch

final class Plain { var count = 0 }

let item = DispatchWorkItem {}  // refused in Swift 6
let plainKey = DispatchSpecificKey<Plain>()  // refused in Swift 6
let object: DispatchObject = queue  // refused in Swift 6
let queue = DispatchQueue(label: "corpus.constant")
let group = DispatchGroup()
let semaphore = DispatchSemaphore(value: 1)
let key = DispatchSpecificKey<Int>()
let time = DispatchTime.now()
let wall = DispatchWallTime.now()
let interval = DispatchTimeInterval.seconds(1)
let qos = DispatchQoS.utility
let result = DispatchTimeoutResult.success
let predicate = DispatchPredicate.onQueue(queue)
// Apple's are `Sendable`, and so are ours.
let flags: DispatchWorkItemFlags = .barrier  // refused by Dispatch in Swift 6
let attributes: DispatchQueue.Attributes = .concurrent  // refused by Dispatch in Swift 6
let priority = DispatchQueue.GlobalQueuePriority.high  // refused by Dispatch in Swift 6
let frequency = DispatchQueue.AutoreleaseFrequency.never  // refused by Dispatch in Swift 6
