// Rendezvous — a place where a fixed number of threads meet.

import SignalboxDispatch

/// Nobody leaves before all have arrived. Where a document sleeps so that two
/// threads are surely at the same place, its counterpart lets them meet. It also
/// proves that two items run side by side: one after the other, they never meet.
final class Rendezvous: Sendable {
  private let size: Int
  private let arrivals = Cell(0)
  /// One for even rounds, one for odd ones: who hurries on to the next round
  /// must not take the signal of one who has not yet left this one.
  private let turnstiles = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]

  init(of size: Int) { self.size = size }

  /// Waits until everybody has arrived.
  func arrive() {
    let mine = arrivals.withValue { (count: inout Int) -> Int in
      count += 1
      return count - 1
    }
    let turnstile = turnstiles[mine / size % 2]
    if mine % size == size - 1 {
      for _ in 1..<size { turnstile.signal() }
    } else {
      turnstile.wait()
    }
  }
}
