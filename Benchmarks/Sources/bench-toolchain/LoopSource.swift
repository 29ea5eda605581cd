// An input source, by the functions that the toolchain's Foundation exports: Swift sees
// them in the module of its C part.

import CoreFoundation
import Foundation

/// A source of version 0 in the default mode of the thread's loop that makes it.
// SAFETY: signalled by any thread, as sources and loops may be; all else is one thread's.
final class LoopSource: @unchecked Sendable {
  private let source: CFRunLoopSource
  private let loop: CFRunLoop

  private final class Performer {
    let perform: () -> Void
    init(_ perform: @escaping () -> Void) { self.perform = perform }
  }

  init(_ perform: @escaping () -> Void) {
    let performer = Performer(perform)
    var context = CFRunLoopSourceContext()
    // SAFETY: the source takes a reference by the context's `retain`, while `performer` has
    // one, and gives it back by its `release`.
    context.info = Unmanaged.passUnretained(performer).toOpaque()
    context.retain = { info in
      UnsafeRawPointer(Unmanaged<Performer>.fromOpaque(info!).retain().toOpaque())
    }
    context.release = { info in Unmanaged<Performer>.fromOpaque(info!).release() }
    context.perform = { info in
      Unmanaged<Performer>.fromOpaque(info!).takeUnretainedValue().perform()
    }
    source = withExtendedLifetime(performer) {
      CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    }
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
  /// is sooner. So long a time is none at all, on both sides: with a shorter one the
  /// toolchain makes a timer of its Dispatch.
  static func runOnce() { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1e10, true) }
}
