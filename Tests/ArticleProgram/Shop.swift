// Shop — the program of "It hangs in production": it waits on a queue for an item of the same queue.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxThreads
import Synchronization

// block: ItHangsInProduction/shop
let orders = DispatchQueue(label: "com.example.orders")
let bank = DispatchQueue(label: "com.example.bank")

/// Calls back on `orders`, when the bank has answered.
func charge(_ order: Int, then done: @escaping @Sendable () -> Void) {
  bank.async { orders.async(execute: done) }
}

func sell(_ order: Int) {
  orders.async {
    let isPaid = DispatchSemaphore(value: 0)
    charge(order) { isPaid.signal() }
    isPaid.wait()
    print("sold order \(order)")
  }
}
// end

/// Sells the orders, and hangs.
func openShop() -> Never {
  for order in 1...3 { sell(order) }
  print("open")
  fflush(nil)
  while true { pause() }
}

/// A shop that does not wait on its own queue, for a picture of `signalbox top`: customers come all the time, the bank
/// is slower than they are, and a clerk asks for the sum.
func sellAllDay() -> Never {
  let books = Books()
  let receipts = DispatchQueue(label: "com.example.receipts")
  @Sendable func next(_ order: Int) {
    orders.async {
      bank.asyncAfter(deadline: .now() + .milliseconds(2)) {
        books.add(order)
        receipts.async { books.print() }
        next(order + 1)
      }
    }
  }
  for customer in 0..<8 { next(customer) }
  let clerk = Thread {
    while true {
      bank.sync { books.add(0) }
      usleep(500)
    }
  }
  clerk.name = "clerk"
  clerk.start()
  let auditor = Thread { DispatchSemaphore(value: 0).wait() }
  auditor.name = "auditor"
  auditor.start()
  while true { pause() }
}

/// What was sold.
private final class Books: Sendable {
  private let lock = NSLock()
  private let sums = Mutex<[Int]>([])

  func add(_ order: Int) {
    lock.withLock { sums.withLock { $0 = Array(($0 + [order]).sorted().suffix(2000)) } }
  }

  func print() { lock.withLock { _ = sums.withLock { $0.reduce(0, +) } } }
}
