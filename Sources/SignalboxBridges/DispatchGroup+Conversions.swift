// DispatchGroup+Conversions — a group as the toolchain's type, as C's, and as Signalbox's.

public import Dispatch
public import SignalboxDispatch
import SignalboxDropIn

extension SignalboxDispatch.DispatchGroup {
  /// The group that is behind one of the toolchain's.
  ///
  /// Both are the same group, with the same members. You may call it from any thread. It costs
  /// a few microseconds.
  ///
  /// In a process whose Dispatch is the toolchain's it traps, and says what to do.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ group: Dispatch.DispatchGroup) {
    let call: StaticString = "SignalboxDispatch.DispatchGroup(_:)"
    self.init(handle: ToolchainObject.handle(of: group, call), call)
    withExtendedLifetime(group) {}
  }

  /// The group that C code has by this handle, a `dispatch_group_t`.
  ///
  /// ```swift
  /// let group = SignalboxDispatch.DispatchGroup(handle: downloads_group(downloads))
  /// ```
  ///
  /// It keeps the group with a reference of Swift's, and leaves C's references alone: whoever has
  /// one still calls `dispatch_release`. You may call it from any thread.
  ///
  /// It traps if another object is at this address, or none, and in a process whose Dispatch is the
  /// toolchain's.
  ///
  /// *Beyond Apple's API.*
  public convenience init(handle: OpaquePointer) {
    let call: StaticString = "SignalboxDispatch.DispatchGroup(handle:)"
    ToolchainObject.check(call)
    self.init(handle: Handle(handle), call)
  }

  private convenience init(handle: Handle, _ call: StaticString) {
    // SAFETY: the caller has a reference until this one is counted.
    let found = Handles.group(handle, call).takeUnretainedValue()
    self.init(existing: found, call)
  }
}

extension Dispatch.DispatchGroup {
  /// The toolchain's type for a group of Signalbox's.
  ///
  /// Both are the same group, with the same members. The new object keeps it with one of
  /// C's references. You may call it from any thread.
  ///
  /// In a process whose Dispatch is the toolchain's it traps, and says what to do.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ group: SignalboxDispatch.DispatchGroup) {
    let call: StaticString = "Dispatch.DispatchGroup(_:)"
    let made = ToolchainObject.make(over: group, call) {
      Dispatch.DispatchGroup()
    }
    self.init(existing: made, call)
  }
}

extension Dispatch.DispatchGroup: ExistingObject {}
