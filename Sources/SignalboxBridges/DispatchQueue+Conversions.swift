// DispatchQueue+Conversions — converts a queue between the toolchain's type, a C handle and
// Signalbox's type.

public import Dispatch
public import SignalboxDispatch
import SignalboxDropIn

extension SignalboxDispatch.DispatchQueue {
  /// The Signalbox queue behind a toolchain queue.
  ///
  /// Both are the same queue, with the same items. You may call it from any thread. It costs
  /// a few microseconds.
  ///
  /// It traps, with advice, if the process uses the toolchain's Dispatch.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ queue: Dispatch.DispatchQueue) {
    let call: StaticString = "SignalboxDispatch.DispatchQueue(_:)"
    self.init(handle: ToolchainObject.handle(of: queue, call), call)
    withExtendedLifetime(queue) {}
  }

  /// The queue with this C handle, a `dispatch_queue_t`.
  ///
  /// ```swift
  /// let queue = SignalboxDispatch.DispatchQueue(handle: connection_queue(connection))
  /// ```
  ///
  /// The result holds its own Swift reference; C code still releases its own references with
  /// `dispatch_release`. You may call it from any thread.
  ///
  /// It traps if the address holds no queue, or if the process uses the toolchain's Dispatch.
  ///
  /// *Beyond Apple's API.*
  public convenience init(handle: OpaquePointer) {
    let call: StaticString = "SignalboxDispatch.DispatchQueue(handle:)"
    ToolchainObject.check(call)
    self.init(handle: Handle(handle), call)
  }

  private convenience init(handle: Handle, _ call: StaticString) {
    // SAFETY: the caller holds a reference until this one is counted.
    let found = Handles.queue(handle, call).takeUnretainedValue()
    self.init(existing: found, call)
  }
}

extension Dispatch.DispatchQueue {
  /// The toolchain's type for a Signalbox queue.
  ///
  /// Both are the same queue, with the same items. The new object holds one C
  /// reference to it. You may call it from any thread.
  ///
  /// It traps, with advice, if the process uses the toolchain's Dispatch.
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
