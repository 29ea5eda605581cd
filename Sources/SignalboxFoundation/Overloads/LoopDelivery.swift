// LoopDelivery — one call that a loop makes when a result is available. It keeps the loop
// running until then.
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
  ///   - runLoop: the loop that makes the call, on its thread.
  ///   - modes: the loop's modes in which it may make the call.
  init(to runLoop: RunLoop, in modes: [RunLoop.Mode]) {
    loop = runLoop.getCFRunLoop()
    self.modes = modes.map { CFRunLoopMode($0) }
    let me = Reference()
    var context = CFRunLoopSourceContext()
    context.perform = { _ in me.delivery?.perform() }
    // Runs after the call, or when the loop's thread has ended.
    context.cancel = { _, _, _ in me.delivery = nil }
    source = CFRunLoopSourceCreate(nil, 0, &context)
    me.delivery = self
    for mode in self.modes { CFRunLoopAddSource(loop, source, mode) }
  }

  /// Before each sleep, checks whether a result can no longer arrive. If so, the loop stops
  /// waiting and calls `end`. Call once, on the loop's own thread.
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

  /// Makes the loop call `call`. Call from any thread, once.
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

  /// Keeps the delivery alive for the source, which the loop keeps. Used on the loop's own
  /// thread once the source is added.
  private final class Reference {
    var delivery: LoopDelivery?
  }
}
