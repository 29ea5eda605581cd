// LoopThread — a thread that runs its loop until `end()`, and helpers for tests of run loops.

package import SignalboxRunLoop

/// Returns a source that calls `perform` after it is signalled.
package func makeSource(
  order: Int = 0, schedule: (@Sendable (CFRunLoop, CFRunLoopMode) -> Void)? = nil,
  cancel: (@Sendable (CFRunLoop, CFRunLoopMode) -> Void)? = nil,
  _ perform: @escaping @Sendable () -> Void
) -> CFRunLoopSource {
  var context = CFRunLoopSourceContext()
  context.perform = { _ in perform() }
  if let schedule { context.schedule = { _, loop, mode in schedule(loop!, mode!) } }
  if let cancel { context.cancel = { _, loop, mode in cancel(loop!, mode!) } }
  return CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
}

/// Returns a source that does nothing, to keep a mode from being empty.
package func makeSource() -> CFRunLoopSource { makeSource {} }

/// Returns an observer that calls `handler`.
package func makeObserver(
  of activities: CFRunLoopActivity, repeats: Bool = true, order: Int = 0,
  _ handler: @escaping @Sendable (CFRunLoopActivity) -> Void
) -> CFRunLoopObserver {
  CFRunLoopObserverCreateWithHandler(
    kCFAllocatorDefault, activities.rawValue, repeats, order
  ) { _, activity in handler(activity) }
}

/// Waits until the loop's thread sleeps in the loop.
package func waitUntilAsleep(
  _ loop: CFRunLoop, file: StaticString = #fileID, line: UInt = #line
) throws {
  let end = Uptime.now() + RealTime.wedge
  while !CFRunLoopIsWaiting(loop) {
    guard Uptime.now() < end else {
      throw Wedge.found("\(loop) does not come to sleep", file: file, line: line)
    }
    letRealTimePass(.microseconds(200))
  }
}

/// The longest time that a run in a test may take, in seconds.
package let loopLimit = Double(RealTime.wedge.wholeNanoseconds) / 1e9

/// A thread that runs its loop in one mode until `end()`.
package final class LoopThread: Sendable {
  package let loop: CFRunLoop
  private let mode: CFRunLoopMode
  private let isEnding = Guarded(false)
  private let thread: PlainThread

  /// - Parameter prepare: Called on the thread before the loop runs.
  package init(
    mode: CFRunLoopMode = .defaultMode, prepare: @escaping @Sendable (CFRunLoop) -> Void = { _ in }
  ) throws {
    let found = Guarded<CFRunLoop?>(nil)
    let isEnding = isEnding
    self.mode = mode
    thread = try PlainThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, makeSource(), mode)
      prepare(loop)
      found.withValue { $0 = loop }
      while !isEnding.current { CFRunLoopRunInMode(mode, 1e9, false) }
    }
    _ = found.wait(limit: RealTime.life) { $0 != nil }
    loop = found.current!
  }

  /// Runs a body on the thread as a block of its loop, and returns the body's result.
  package func run<Result: Sendable>(
    in mode: CFRunLoopMode = .defaultMode, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Result
  ) throws -> Result {
    let result = Guarded<Result?>(nil)
    CFRunLoopPerformBlock(loop, mode) {
      let value = body()
      result.withValue { $0 = value }
    }
    CFRunLoopWakeUp(loop)
    guard result.wait(limit: RealTime.wedge, until: { $0 != nil }) else {
      throw Wedge.found("a block of \(loop) does not run", file: file, line: line)
    }
    return result.current!
  }

  /// Makes the thread leave its loop, whatever the loop still contains, and waits for the
  /// thread's end.
  package func end(file: StaticString = #fileID, line: UInt = #line) throws {
    // A stop before a run begins is lost; a block is not.
    CFRunLoopPerformBlock(loop, mode) { [isEnding, loop] in
      isEnding.withValue { $0 = true }
      CFRunLoopStop(loop)
    }
    CFRunLoopWakeUp(loop)
    try thread.join(file: file, line: line)
  }
}
