// DispatchSemaphore+Conversions — converts a semaphore between the toolchain's type, a C handle and
// Signalbox's type.

public import Dispatch
public import SignalboxDispatch
import SignalboxDropIn

extension SignalboxDispatch.DispatchSemaphore {
  /// The Signalbox semaphore behind a toolchain semaphore.
  ///
  /// Both are the same semaphore, with the same permits. You may call it from any thread. It costs
  /// a few microseconds.
  ///
  /// It traps, with advice, if the process uses the toolchain's Dispatch.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ semaphore: Dispatch.DispatchSemaphore) {
    let call: StaticString = "SignalboxDispatch.DispatchSemaphore(_:)"
    self.init(handle: ToolchainObject.handle(of: semaphore, call), call)
    withExtendedLifetime(semaphore) {}
  }

  /// The semaphore with this C handle, a `dispatch_semaphore_t`.
  ///
  /// ```swift
  /// let permits = SignalboxDispatch.DispatchSemaphore(handle: pool_semaphore(pool))
  /// ```
  ///
  /// The result holds its own Swift reference; C code still releases its own references with
  /// `dispatch_release`. You may call it from any thread.
  ///
  /// It traps if the address holds no semaphore, or if the process uses the toolchain's Dispatch.
  ///
  /// *Beyond Apple's API.*
  public convenience init(handle: OpaquePointer) {
    let call: StaticString = "SignalboxDispatch.DispatchSemaphore(handle:)"
    ToolchainObject.check(call)
    self.init(handle: Handle(handle), call)
  }

  private convenience init(handle: Handle, _ call: StaticString) {
    // SAFETY: the caller holds a reference until this one is counted.
    let found = Handles.semaphore(handle, call).takeUnretainedValue()
    self.init(existing: found, call)
  }
}

extension Dispatch.DispatchSemaphore {
  /// The toolchain's type for a Signalbox semaphore.
  ///
  /// Both are the same semaphore, with the same permits. The new object holds one C
  /// reference to it. You may call it from any thread.
  ///
  /// It traps, with advice, if the process uses the toolchain's Dispatch.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ semaphore: SignalboxDispatch.DispatchSemaphore) {
    let call: StaticString = "Dispatch.DispatchSemaphore(_:)"
    let made = ToolchainObject.make(over: semaphore, call) {
      Dispatch.DispatchSemaphore(value: 0)
    }
    self.init(existing: made, call)
  }
}

extension Dispatch.DispatchSemaphore: ExistingObject {}
