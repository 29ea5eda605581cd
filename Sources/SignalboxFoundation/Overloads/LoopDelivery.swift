// LoopDelivery — one call that a loop is to make when something is there, and that keeps the
// loop running until then.
//
// Touching    `call`: under `lock`. `observer`: the loop's own thread.

import SignalboxRunLoop
import SignalboxRuntime

final class LoopDelivery: @unchecked Sendable {  // SAFETY: see Touching.
  private let loop: CFRunLoop
  private let source: CFRunLoopSource
  private let lock = EngineLock()
  private var call: (@Sendable () -> Void)?
  private let modes: [CFRunLoopMode]
  private var observer: CFRunLoopObserver?

  /// - Parameters:
  ///   - runLoop: which loop makes the call, on its thread.
  ///   - modes: in which of its modes.
  init(to runLoop: RunLoop, in modes: [RunLoop.Mode]) {
    loop = runLoop.getCFRunLoop()
    self.modes = modes.map { CFRunLoopMode($0) }
    let me = Reference()
    var context = CFRunLoopSourceContext()
    context.perform = { _ in me.delivery?.perform() }
    // When it has performed, or the loop's thread has ended.
    context.cancel = { _, _, _ in me.delivery = nil }
    source = CFRunLoopSourceCreate(nil, 0, &context)
    me.delivery = self
    for mode in self.modes { CFRunLoopAddSource(loop, source, mode) }
  }

  /// Has the loop look, whenever it is about to sleep, whether nothing can come any more. If so
  /// it does not wait, and calls `end`. The loop's own thread, once.
  func giveUp(when isVain: @escaping () -> Bool, _ end: @escaping () -> Void) {
    let new = CFRunLoopObserverCreateWithHandler(
      nil, CFRunLoopActivity.beforeWaiting.rawValue, true, 0
    ) { [weak self] _, _ in
      guard let self, isVain(), lock.withLock({ call == nil }) else { return }
      leave()
      CFRunLoopWakeUp(loop)
      end()
    }
    observer = new
    for mode in modes { CFRunLoopAddObserver(loop, new, mode) }
  }

  /// Has the loop make the call. Any thread, once.
  func deliver(_ call: @escaping @Sendable () -> Void) {
    lock.withLock { self.call = call }
    CFRunLoopSourceSignal(source)
    CFRunLoopWakeUp(loop)
  }

  private func perform() {
    let call = lock.withLock {
      let call = self.call
      self.call = nil
      return call
    }
    leave()
    call?()
  }

  private func leave() {
    if let observer { CFRunLoopObserverInvalidate(observer) }
    observer = nil
    CFRunLoopSourceInvalidate(source)
  }

  /// Keeps it for the source, which the loop keeps. The loop's own thread, once it is there.
  private final class Reference {
    var delivery: LoopDelivery?
  }
}
