import Dispatch
import Foundation

/// A sum behind a queue.
// SAFETY: the sum is touched on the queue only.
public final class Till: @unchecked Sendable {
  private let queue = DispatchQueue(label: "till")
  private var sum = 0

  public init() {}

  public func add(_ amount: Int) {
    dispatchPrecondition(condition: .notOnQueue(queue))
    queue.async { self.sum += amount }
  }

  public var total: Int { queue.sync { sum } }
}
