// Types — what may not be made, derived from or assigned to.

import Dispatch

class OwnQueue: DispatchQueue {}  // refused
class OwnItem: DispatchWorkItem {}  // refused
class OwnGroup: DispatchGroup {}  // refused
class OwnSemaphore: DispatchSemaphore {}  // refused
class OwnKey: DispatchSpecificKey<Int> {}  // refused

struct Refused: Error {}
func later() async {}

func types(_ queue: DispatchQueue, _ group: DispatchGroup) {
  _ = DispatchObject()  // refused
  _ = DispatchQueue()  // refused
  _ = DispatchSemaphore()  // refused
  _ = DispatchQoS()  // refused
  queue.label = "another"  // refused
  queue.qos = .default  // refused
  DispatchQueue.main = queue  // refused
  queue.async { throw Refused() }  // refused
  queue.async { await later() }  // refused
  queue.async(group: nil, execute: DispatchWorkItem {})  // refused
  _ = queue.sync(flags: .concurrent) { 1 }  // refused
  group.notify(queue: queue, execute: DispatchWorkItem {})  // refused
  _ = DispatchQueue(label: "x", attributes: .barrier)  // refused
  switch DispatchTimeoutResult.success {
  case .success, .timedOut: break
  }
  switch DispatchTimeInterval.never {  // refused
  case .seconds, .milliseconds, .microseconds, .nanoseconds: break
  }
}
