// LoopThread — a thread whose run loop a listing uses, as its document uses main's or a
// second thread's. The main thread itself belongs to the main queue here.

import SignalboxDispatch
import SignalboxRunLoop

/// Runs the body on a new thread, with that thread's loop.
func onLoopThread<Result: Sendable>(
  _ body: @escaping @Sendable (CFRunLoop) -> Result
) -> Result {
  let thread = JoinableThread { body(CFRunLoopGetCurrent()) }
  thread.start()
  return thread.join()
}

/// A thread that runs its loop in the default mode until it is ended.
final class LoopThread: Sendable {
  let loop: CFRunLoop
  private let joinable: JoinableThread<CFRunLoopRunResult, Never>

  /// For those who have something performed on it.
  var thread: Thread { joinable.thread }

  /// - Parameter prepare: called on the thread, before it runs its loop.
  init(_ prepare: @escaping @Sendable (CFRunLoop) -> Void = { _ in }) {
    let found = Cell<CFRunLoop?>(nil)
    let runs = DispatchSemaphore(value: 0)
    joinable = JoinableThread {
      let loop = CFRunLoopGetCurrent()!
      found.value = loop
      CFRunLoopAddSource(loop, makeCustomSource(), .defaultMode)
      prepare(loop)
      CFRunLoopPerformBlock(loop, .defaultMode) { runs.signal() }
      // So long a time never ends.
      return CFRunLoopRunInMode(.defaultMode, 1e10, false)
    }
    joinable.start()
    runs.wait()
    loop = found.value!
  }

  /// Does something on the thread, and waits for it.
  func run(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    CFRunLoopPerformBlock(loop, .defaultMode) {
      body()
      done.signal()
    }
    CFRunLoopWakeUp(loop)
    done.wait()
  }

  /// Stops its loop, and waits for its end.
  @discardableResult
  func end() -> CFRunLoopRunResult {
    run { [loop] in CFRunLoopStop(loop) }
    return joinable.join()
  }
}

/// A source of version 0 that performs the body.
func makeCustomSource(
  order: CFIndex = 0, _ perform: @escaping @Sendable () -> Void = {}
) -> CFRunLoopSource {
  var context = CFRunLoopSourceContext()
  context.perform = { _ in perform() }
  return CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
}
