// DispatchSemaphore+Conversions — a semaphore as the toolchain's type, as C's, and as Signalbox's.

public import Dispatch
public import SignalboxDispatch
import SignalboxDropIn

extension SignalboxDispatch.DispatchSemaphore {
  /// The semaphore that is behind one of the toolchain's.
  ///
  /// Both are the same semaphore, with the same permits. You may call it from any thread. It costs
  /// a few microseconds.
  ///
  /// In a process whose Dispatch is the toolchain's it traps, and says what to do.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ semaphore: Dispatch.DispatchSemaphore) {
    let call: StaticString = "SignalboxDispatch.DispatchSemaphore(_:)"
    self.init(handle: ToolchainObject.handle(of: semaphore, call), call)
    withExtendedLifetime(semaphore) {}
  }

  /// The semaphore that C code has by this handle, a `dispatch_semaphore_t`.
  ///
  /// ```swift
  /// let permits = SignalboxDispatch.DispatchSemaphore(handle: pool_semaphore(pool))
  /// ```
  ///
  /// It keeps the semaphore with a reference of Swift's, and leaves C's references alone: whoever has
  /// one still calls `dispatch_release`. You may call it from any thread.
  ///
  /// It traps if another object is at this address, or none, and in a process whose Dispatch is the
  /// toolchain's.
  ///
  /// *Beyond Apple's API.*
  public convenience init(handle: OpaquePointer) {
    let call: StaticString = "SignalboxDispatch.DispatchSemaphore(handle:)"
    ToolchainObject.check(call)
    self.init(handle: Handle(handle), call)
  }

  private convenience init(handle: Handle, _ call: StaticString) {
    // SAFETY: the caller has a reference until this one is counted.
    let found = Handles.semaphore(handle, call).takeUnretainedValue()
    self.init(existing: found, call)
  }
}

extension Dispatch.DispatchSemaphore {
  /// The toolchain's type for a semaphore of Signalbox's.
  ///
  /// Both are the same semaphore, with the same permits. The new object keeps it with one of
  /// C's references. You may call it from any thread.
  ///
  /// In a process whose Dispatch is the toolchain's it traps, and says what to do.
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
