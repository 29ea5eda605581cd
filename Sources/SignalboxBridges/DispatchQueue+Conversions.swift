// DispatchQueue+Conversions — a queue as the toolchain's type, as C's, and as Signalbox's.

public import Dispatch
public import SignalboxDispatch
import SignalboxDropIn

extension SignalboxDispatch.DispatchQueue {
  /// The queue that is behind one of the toolchain's.
  ///
  /// Both are the same queue, with the same items. You may call it from any thread. It costs
  /// a few microseconds.
  ///
  /// In a process whose Dispatch is the toolchain's it traps, and says what to do.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ queue: Dispatch.DispatchQueue) {
    let call: StaticString = "SignalboxDispatch.DispatchQueue(_:)"
    self.init(handle: ToolchainObject.handle(of: queue, call), call)
    withExtendedLifetime(queue) {}
  }

  /// The queue that C code has by this handle, a `dispatch_queue_t`.
  ///
  /// ```swift
  /// let queue = SignalboxDispatch.DispatchQueue(handle: connection_queue(connection))
  /// ```
  ///
  /// It keeps the queue with a reference of Swift's, and leaves C's references alone: whoever has
  /// one still calls `dispatch_release`. You may call it from any thread.
  ///
  /// It traps if another object is at this address, or none, and in a process whose Dispatch is the
  /// toolchain's.
  ///
  /// *Beyond Apple's API.*
  public convenience init(handle: OpaquePointer) {
    let call: StaticString = "SignalboxDispatch.DispatchQueue(handle:)"
    ToolchainObject.check(call)
    self.init(handle: Handle(handle), call)
  }

  private convenience init(handle: Handle, _ call: StaticString) {
    // SAFETY: the caller has a reference until this one is counted.
    let found = Handles.queue(handle, call).takeUnretainedValue()
    self.init(existing: found, call)
  }
}

extension Dispatch.DispatchQueue {
  /// The toolchain's type for a queue of Signalbox's.
  ///
  /// Both are the same queue, with the same items. The new object keeps it with one of
  /// C's references. You may call it from any thread.
  ///
  /// In a process whose Dispatch is the toolchain's it traps, and says what to do.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ queue: SignalboxDispatch.DispatchQueue) {
    let call: StaticString = "Dispatch.DispatchQueue(_:)"
    let made = ToolchainObject.make(over: queue, call) {
      Dispatch.DispatchQueue(label: "")
    }
    self.init(existing: made, call)
  }
}

extension Dispatch.DispatchQueue: ExistingObject {}
