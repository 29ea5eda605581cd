// Misuses — conversions that end the program.

import CDispatch
import CReferences
import Dispatch
import SignalboxBridges
import SignalboxDispatch

let misuses: [String: @Sendable () -> Void] = [
  "groupAsQueue": { SignalboxDispatch.DispatchGroup().withHandle { _ = OurQueue(handle: $0) } },
  "queueAsGroup": {
    _ = SignalboxDispatch.DispatchGroup(handle: dispatch_queue_create("org.example.queue", nil))
  },
  "mainQueueAsSemaphore": {
    OurQueue.main.withHandle { _ = SignalboxDispatch.DispatchSemaphore(handle: $0) }
  },
  "noObject": {
    _ = OurQueue(handle: OpaquePointer(UnsafeMutablePointer<UInt64>.allocate(capacity: 8).zeroed))
  },
  "freedQueue": {
    let made: OpaquePointer = dispatch_queue_create("org.example.freed", nil)
    release_for_c(made)
    _ = OurQueue(handle: made)
  },
  "releasedTwice": {
    let handle = OurQueue(label: "org.example.released").retainedHandle()
    release_for_c(handle)
    release_for_c(handle)
  },
  "releasedLent": {
    OurQueue(label: "org.example.lent").withHandle {
      release_for_c($0)
    }
  },
]

extension UnsafeMutablePointer<UInt64> {
  fileprivate var zeroed: Self {
    update(repeating: 0, count: 8)
    return self
  }
}
