// An input source, by our functions.

import SignalboxRunLoop

/// A source of version 0 in the default mode of the thread's loop that makes it.
final class LoopSource: Sendable {
  private let source: CFRunLoopSource
  private let loop: CFRunLoop

  init(_ perform: @escaping () -> Void) {
    var context = CFRunLoopSourceContext()
    context.perform = { _ in perform() }
    source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    loop = CFRunLoopGetCurrent()
    CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode)
  }

  func signalAndWakeUp() {
    CFRunLoopSourceSignal(source)
    CFRunLoopWakeUp(loop)
  }

  func stop() { CFRunLoopStop(loop) }

  func invalidate() { CFRunLoopSourceInvalidate(source) }

  /// Runs the calling thread's loop until a source was performed or it is stopped, whichever
  /// is sooner.
  static func runOnce() { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1e10, true) }
}
