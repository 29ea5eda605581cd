#if canImport(Dispatch)
  import Dispatch
#endif
import Foundation
import Middleware

/// The names in as many positions as there are.
// SAFETY: it has nothing that changes.
public final class Ending: Operation, @unchecked Sendable {
  private let center = NotificationQueue.default
  private let time: DispatchTime = .now() + .milliseconds(1)

  override public func main() {
    dispatchPrecondition(condition: .notOnQueue(.main))
    print(Thread.current.isMainThread, qualityOfService == QualityOfService.default)
    DispatchQueue.main.asyncAfter(deadline: time) {
      dispatchPrecondition(condition: .onQueue(.main))
      print("end")
      exit(0)
    }
  }

  /// In a public declaration.
  public func start(on queue: OperationQueue? = nil) {
    (queue ?? OperationQueue()).addOperation(self)
  }
}

extension DispatchQueue {
  static let own = DispatchQueue(label: "own")
}

extension NSLocking {
  func locked<T>(_ body: () -> T) -> T { withLock(body) }
}
