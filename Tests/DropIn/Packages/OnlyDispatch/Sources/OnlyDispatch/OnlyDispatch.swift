// A package that imports only Dispatch and has never heard of Signalbox.

import Dispatch

public enum OnlyDispatch {
  public static let label = "org.example.only-dispatch"

  /// Runs so many items on a serial queue. Returns how many have run, in order.
  public static func runItems(_ count: Int) -> Int {
    let queue = DispatchQueue(label: label)
    // SAFETY: only items of the serial queue use it.
    nonisolated(unsafe) var ran = 0
    for index in 0..<count { queue.async { if ran == index { ran += 1 } } }
    return queue.sync { ran }
  }
}
