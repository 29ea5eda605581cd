// SpecificContexts — the pointers that C code stores in a queue. Any address can be a key.
//
// They are in the same chain as the values of Swift's keys (`Specifics`).

import SignalboxRuntime

private final class ContextValue: SpecificValue {
  // SAFETY: constant; what it points to belongs to C code.
  nonisolated(unsafe) let context: UnsafeMutableRawPointer
  let destructor: dispatch_function_t?

  init(
    _ key: UnsafeRawPointer, _ context: UnsafeMutableRawPointer,
    _ destructor: dispatch_function_t?
  ) {
    self.context = context
    self.destructor = destructor
    super.init(address: key)
  }

  /// The destructor runs later, as an item of its own.
  deinit {
    guard let destructor else { return }
    DispatchQueue.global().push(FunctionItem.make(destructor, context, flags: [], group: nil))
  }
}

extension DispatchQueue {
  /// Sets the queue's context for `key`, or removes it if `context` is nil. `destructor` is called
  /// with the context on a global queue once the context is replaced or removed, or the queue is
  /// freed.
  package final func setSpecific(
    _ key: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?,
    _ destructor: dispatch_function_t?
  ) {
    exchangeSpecific(key, context.map { ContextValue(key, $0, destructor) })
  }

  /// The queue's own context for `key`.
  package final func specific(_ key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    guard specifics.mayHold(key) else { return nil }
    return specifics.context(key)
  }

  /// The context for `key` of the queue that this code runs on, or of its first target that has
  /// one.
  package static func currentSpecific(_ key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    var next = carrier(of: key, above: nil)
    while let carrier = next {
      let context = carrier._withUnsafeGuaranteedRef { $0.specifics.context(key) }
      if let context { return context }
      next = self.carrier(of: key, above: carrier)
    }
    return nil
  }
}

extension Specifics {
  fileprivate borrowing func context(_ key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    lock.withLock {
      // The address may be that of a Swift key.
      find(key)?._withUnsafeGuaranteedRef { ($0 as? ContextValue)?.context }
    }
  }
}
