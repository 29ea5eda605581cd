import Dispatch
import Glibc
import Synchronization
final class DispatchOnce: Sendable {
  let m = Mutex(false)
  let owner = Cell<UInt>(0)
  func perform(_ body: () throws -> Void) rethrows {
    if owner.value == pthread_self() { fatalError("BUG IN CLIENT OF SIGNALBOX: once calls itself") }
    try m.withLock { done in
      if !done { owner.value = pthread_self(); try body(); owner.value = 0; done = true }
    }
  }
}
func autoreleasepool<R>(invoking body: () throws -> R) rethrows -> R { try body() }
