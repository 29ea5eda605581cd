// Sums — adds numbers on queues of the toolchain's Dispatch.

import Dispatch

public enum Sums {
  /// The sum of the numbers below `count`, each added by an item of its own.
  public static func below(_ count: Int) -> Int {
    let queue = DispatchQueue(label: "org.example.sums")
    // SAFETY: read and written on the queue.
    nonisolated(unsafe) var sum = 0
    for number in 0..<count { queue.async { sum += number } }
    return queue.sync { sum }
  }
}
