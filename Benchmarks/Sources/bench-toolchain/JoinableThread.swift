import Foundation

/// What programs do there that wait for a thread.
final class JoinableThread {
  private let thread: Thread
  private let end = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    let end = end
    thread = Thread {
      body()
      end.signal()
    }
  }

  func start() { thread.start() }

  func join() { end.wait() }
}
