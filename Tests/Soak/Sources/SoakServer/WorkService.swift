// WorkService — divides a sum among the threads of the pool, in several ways.

import SignalboxDispatch
import SignalboxLocks

struct WorkService: Service {
  private let crowd = DispatchQueue(label: "soak.crowd", attributes: .concurrent)

  private static let parts = 4

  /// The request's number decides how the sum is divided.
  func answer(_ request: Request, reply: @escaping Reply) {
    switch request.number % 4 {
    case 0: byGroup(request, reply)
    case 1: byLoop(request, reply)
    case 2: byQueues(request, reply)
    default: byHandOff(request, reply)
    }
  }

  /// Items of the concurrent queue, in a group.
  private func byGroup(_ request: Request, _ reply: @escaping Reply) {
    let total = Total()
    let group = DispatchGroup()
    for index in 0..<WorkService.parts {
      crowd.async(group: group) { total.add(WorkService.part(index, of: request)) }
    }
    group.notify(queue: crowd) { reply(total.text) }
  }

  /// A loop whose iterations the pool shares.
  private func byLoop(_ request: Request, _ reply: @escaping Reply) {
    crowd.async {
      let total = Total()
      DispatchQueue.concurrentPerform(iterations: WorkService.parts) { index in
        total.add(WorkService.part(index, of: request))
      }
      reply(total.text)
    }
  }

  /// Serial queues that live as long as their only items, and a barrier behind them.
  private func byQueues(_ request: Request, _ reply: @escaping Reply) {
    let total = Total()
    let group = DispatchGroup()
    for index in 0..<WorkService.parts {
      group.enter()
      DispatchQueue(label: "soak.part", target: crowd).async {
        total.add(WorkService.part(index, of: request))
        group.leave()
      }
    }
    group.notify(flags: .barrier, queue: crowd) { reply(total.text) }
  }

  /// An item that blocks its thread until another item has the sum.
  private func byHandOff(_ request: Request, _ reply: @escaping Reply) {
    let total = Total()
    let ready = DispatchSemaphore(value: 0)
    crowd.async {
      ready.wait()
      reply(total.text)
    }
    DispatchQueue.global().async {
      for index in 0..<WorkService.parts { total.add(WorkService.part(index, of: request)) }
      ready.signal()
    }
  }

  private static func part(_ index: Int, of request: Request) -> UInt64 {
    var sum: UInt64 = 0
    for step in stride(from: index, to: request.count, by: parts) {
      let value = request.number &+ UInt64(step)
      sum &+= value &* value
    }
    return sum
  }
}

/// A sum that several threads add to. It wraps around.
struct Total: Sendable {
  private let sum = OSAllocatedUnfairLock(initialState: UInt64(0))

  func add(_ amount: UInt64) { sum.withLock { $0 &+= amount } }

  var text: String { "\(sum.withLock { $0 })" }
}
