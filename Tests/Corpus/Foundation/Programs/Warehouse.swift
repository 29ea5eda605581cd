// Warehouse — a program: producers and consumers on threads, with conditions, a condition lock for
// the end, and a count that all threads change.

import Foundation

final class Stock: @unchecked Sendable {
  // SAFETY: used with the condition held only.
  private let condition = NSCondition()
  private var parcels: [Int] = []
  private var isClosed = false
  private let room: Int

  init(room: Int) { self.room = room }

  func deliver(_ parcel: Int) {
    condition.lock()
    defer { condition.unlock() }
    while parcels.count >= room { condition.wait() }
    parcels.append(parcel)
    condition.broadcast()
  }

  func collect() -> Int? {
    condition.lock()
    defer { condition.unlock() }
    while parcels.isEmpty {
      if isClosed { return nil }
      if !condition.wait(until: Date(timeIntervalSinceNow: 60)) { return nil }
    }
    condition.broadcast()
    return parcels.removeFirst()
  }

  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }
}

final class Ledger: @unchecked Sendable {
  // SAFETY: used with the lock held only.
  private let lock = NSRecursiveLock()
  private var sums: [String: Int] = [:]

  func add(_ amount: Int, for name: String) {
    lock.lock()
    defer { lock.unlock() }
    sums[name, default: 0] += amount
    if name != "all" { add(amount, for: "all") }
  }

  subscript(name: String) -> Int { lock.withLock { sums[name] ?? 0 } }
}

enum Warehouse {
  static func run() {
    let stock = Stock(room: 4)
    let ledger = Ledger()
    let producers = DispatchGroup()
    let consumers = DispatchGroup()
    for number in 0..<3 {
      producers.enter()
      let thread = Thread {
        for parcel in 0..<50 { stock.deliver(number * 50 + parcel) }
        producers.leave()
      }
      thread.stackSize = 512 * 1024
      thread.qualityOfService = .userInitiated
      thread.start()
    }
    for number in 0..<2 {
      consumers.enter()
      Thread.detachNewThread {
        Thread.current.threadDictionary["collected"] = 0
        while let parcel = stock.collect() {
          ledger.add(parcel, for: "consumer \(number)")
          let before = Thread.current.threadDictionary["collected"] as? Int ?? 0
          Thread.current.threadDictionary["collected"] = before + 1
        }
        ledger.add(Thread.current.threadDictionary["collected"] as? Int ?? 0, for: "count")
        consumers.leave()
      }
    }
    producers.wait()
    stock.close()
    consumers.wait()
    print(ledger["all"] - ledger["count"], ledger["count"])
    print(ledger["consumer 0"] + ledger["consumer 1"] == (0..<150).reduce(0, +))
  }
}
