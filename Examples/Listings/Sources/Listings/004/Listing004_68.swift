import SignalboxDispatch
import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_68 = Listing(
    "004-68", heading: "Using NSCondition",
    shows: "a consumer waits for a product, a producer signals",
    outcome: "signal wakes one waiting thread, broadcast all",
    truth:
      "the printed test is reversed, and one test is not enough: a woken thread tests "
      + "again. No order is promised for the threads that a signal wakes",
    rows: ["L4"],
    fault: { Document004.ProductLine().consumeAsPrinted() }
  ) { story in
    let report = try story.runFault()
    story.check(report.wasTrapped, "as printed, a consumer that finds no product takes it: trapped")

    // Two consumers wait, there is one product, and both are woken.
    let once = Document004.ProductLine()
    let hasty = once.startConsumers(2) { $0.consumeTestingOnce() }
    once.generateProduct(waking: .all)
    let found = hasty.map { $0.join() }
    story.check(
      found.count { $0 == nil }, is: 1, "the fault: with if, one of two woken ones finds nothing")

    let repeated = Document004.ProductLine()
    let patient = repeated.startConsumers(2) { $0.consumeProduct() }
    repeated.generateProduct(waking: .all)
    repeated.generateProduct(waking: .one)
    story.check(
      Set(patient.map { $0.join() }), is: [0, 1], "the repair: with while, each gets a product")

    // Three consumers, three signals: each wakes one.
    let line = Document004.ProductLine()
    let consumers = line.startConsumers(3) { $0.consumeProduct() }
    for _ in 0..<3 { line.generateProduct(waking: .one) }
    let products = consumers.map { $0.join() }
    story.tell("the first to wait got product \(products[0]), the last one \(products[2])")
    story.check(Set(products), is: [0, 1, 2], "three signals are enough for three consumers")

    // One signal, with nobody who looks for a product.
    let idle = Document004.ProductLine()
    let sleepers = idle.startConsumers(3) { $0.waitOnce() }
    idle.wake(.one)
    idle.isAwake.wait()
    // However long this waits, no second one wakes.
    story.check(
      idle.isAwake.wait(timeout: .now() + .milliseconds(50)) == .timedOut,
      "of three that wait, a signal wakes one")
    idle.wake(.all)
    for thread in sleepers { thread.join() }
    story.check(
      (0..<2).allSatisfy { _ in idle.isAwake.wait(timeout: .now()) == .success },
      "a broadcast wakes the other two")

    let limited = Document004.ProductLine()
    story.check(
      limited.consumeProduct(before: Date(timeIntervalSinceNow: 0.01)) == nil,
      "a wait until a date is false when nothing was signalled")
    let waiting = limited.startConsumers(1) { $0.consumeProduct(before: .distantFuture) }
    limited.generateProduct(waking: .one)
    story.check(waiting[0].join(), is: 0, "and true when it was")
  }
}

extension Document004 {
  final class ProductLine: @unchecked Sendable {
    // SAFETY: `products` and `generated` are touched with the condition's lock held only.
    enum Waking {
      case one, all
    }

    private let nscondition = NSCondition()
    private var products: [Int] = []
    private var generated = 0
    private let isAboutToWait = DispatchSemaphore(value: 0)
    /// Signalled by each that has waited once.
    let isAwake = DispatchSemaphore(value: 0)

    /// As printed, as far as it can be read: it waits if there are products, and takes one
    /// if there are none.
    func consumeAsPrinted() {
      nscondition.lock()
      if products.count != 0 { nscondition.wait() }
      print(products[0])
      products.remove(at: 0)
      nscondition.unlock()
    }

    /// The test the right way round, but made once. It gives nil where `products[0]` would
    /// not be there.
    func consumeTestingOnce() -> Int? {
      nscondition.lock()
      defer { nscondition.unlock() }
      if products.isEmpty {
        isAboutToWait.signal()
        nscondition.wait()
      }
      return products.isEmpty ? nil : products.removeFirst()
    }

    /// Repaired: the test is made again after each wait.
    func consumeProduct() -> Int {
      nscondition.lock()
      defer { nscondition.unlock() }
      isAboutToWait.signal()
      while products.isEmpty { nscondition.wait() }
      return products.removeFirst()
    }

    func consumeProduct(before limit: Date) -> Int? {
      nscondition.lock()
      defer { nscondition.unlock() }
      isAboutToWait.signal()
      while products.isEmpty {
        guard nscondition.wait(until: limit) else { return nil }
      }
      return products.removeFirst()
    }

    /// Waits once, and looks for nothing.
    func waitOnce() {
      nscondition.lock()
      isAboutToWait.signal()
      nscondition.wait()
      nscondition.unlock()
      isAwake.signal()
    }

    func generateProduct(waking: Waking) {
      nscondition.withLock {
        products.append(generated)
        generated += 1
      }
      wake(waking)
    }

    func wake(_ waking: Waking) {
      nscondition.lock()
      switch waking {
      case .one: nscondition.signal()
      case .all: nscondition.broadcast()
      }
      nscondition.unlock()
    }

    /// Starts threads that consume, one after the other, and returns when all of them wait.
    func startConsumers<Product: Sendable>(
      _ count: Int, _ consume: @escaping @Sendable (ProductLine) -> Product
    ) -> [JoinableThread<Product, Never>] {
      let threads = (0..<count).map { _ in
        let thread = JoinableThread { consume(self) }
        thread.start()
        isAboutToWait.wait()
        return thread
      }
      // Who has the lock now knows that the last one gave it up, and waits.
      nscondition.lock()
      nscondition.unlock()
      return threads
    }
  }
}
