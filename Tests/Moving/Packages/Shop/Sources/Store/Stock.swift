import Dispatch  // outside of the condition below

#if canImport(Foundation)
  import Foundation
#endif
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Goods behind a lock, and deliveries that come by operations.
// SAFETY: the goods are touched under the lock only.
public final class Stock: @unchecked Sendable {
  private let lock = NSLock()
  private var goods: [String: Int] = [:]

  public init() {}

  public func deliver(_ names: [String], on queue: OperationQueue) {
    let group = DispatchGroup()
    for name in names {
      group.enter()
      queue.addOperation {
        self.lock.withLock { self.goods[name, default: 0] += 1 }
        group.leave()
      }
    }
    group.wait()
  }

  public func count(of name: String) -> Int { lock.withLock { goods[name] ?? 0 } }

  public var request: URLRequest { URLRequest(url: URL(string: "http://localhost/stock")!) }
}
