// Conditions — a bounded buffer, a wait that times out, and one broadcast for all.

import Foundation

final class Buffer: @unchecked Sendable {
  // SAFETY: `items` is touched with the condition held only.
  private let condition = NSCondition()
  private var items: [Int] = []
  private let room = 2

  init() { condition.name = "corpus.buffer" }

  var name: String? { condition.name }

  func put(_ item: Int) {
    condition.lock()
    while items.count == room { condition.wait() }
    items.append(item)
    condition.signal()
    condition.unlock()
  }

  func take() -> Int {
    condition.lock()
    defer { condition.unlock() }
    while items.isEmpty { condition.wait() }
    defer { condition.signal() }
    return items.removeFirst()
  }
}

enum Conditions {
  static func run() {
    let buffer = Buffer()
    print(buffer.name ?? "no name")
    Thread.detachNewThread { for item in 0..<20 { buffer.put(item) } }
    print((0..<20).map { _ in buffer.take() })

    let condition = NSCondition()
    print(condition.name ?? "no name", condition.withLock { "within" })
    condition.lock()
    print("in time:", condition.wait(until: Date(timeIntervalSinceNow: 0.002)))
    condition.unlock()
    broadcast(condition)
  }

  static func broadcast(_ condition: NSCondition) {
    final class State: @unchecked Sendable {  // SAFETY: changed with the condition held.
      var isOpen = false
      var waiting = 0
      var through = 0
    }
    let state = State()
    for _ in 0..<3 {
      Thread.detachNewThread {
        condition.lock()
        state.waiting += 1
        while !state.isOpen { _ = condition.wait(until: Date(timeIntervalSinceNow: 60)) }
        state.through += 1
        condition.broadcast()
        condition.unlock()
      }
    }
    sleep { condition.withLock { state.waiting == 3 } }
    condition.lock()
    state.isOpen = true
    condition.broadcast()
    while state.through < 3 { condition.wait() }
    condition.unlock()
    print("through:", state.through)
  }
}
