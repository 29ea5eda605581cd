// DispatchGroup+Conversions — converts a group between the toolchain's type, a C handle and
// Signalbox's type.

public import Dispatch
public import SignalboxDispatch
import SignalboxDropIn

extension SignalboxDispatch.DispatchGroup {
  /// The Signalbox group behind a toolchain group.
  ///
  /// Both are the same group, with the same members. You may call it from any thread. It costs
  /// a few microseconds.
  ///
  /// It traps, with advice, if the process uses the toolchain's Dispatch.
  ///
  /// *Beyond Apple's API.*
  public convenience init(_ group: Dispatch.DispatchGroup) {
    let call: StaticString = "SignalboxDispatch.DispatchGroup(_:)"
    self.init(handle: ToolchainObject.handle(of: group, call), call)
    withExtendedLifetime(group) {}
  }

  /// The group with this C handle, a `dispatch_group_t`.
  ///
  /// ```swift
  /// let group = SignalboxDispatch.DispatchGroup(handle: downloads_group(downloads))
  /// ```
  ///
  /// The result holds its own Swift reference; C code still releases its own references with
  /// `dispatch_release`. You may call it from any thread.
  ///
  /// It traps if the address holds no group, or if the process uses the toolchain's Dispatch.
  ///
  /// *Beyond Apple's API.*
  public convenience init(handle: OpaquePointer) {
    let call: StaticString = "SignalboxDispatch.DispatchGroup(handle:)"
    ToolchainObject.check(call)
    self.init(handle: Handle(handle), call)
  }

  private convenience init(handle: Handle, _ call: StaticString) {
    // SAFETY: the caller holds a reference until this one is counted.
    let found = Handles.group(handle, call).takeUnretainedValue()
    self.init(existing: found, call)
  }
}

extension Dispatch.DispatchGroup {
  /// The toolchain's type for a Signalbox group.
  ///
  /// Both are the same group, with the same members. The new object holds one C
  /// reference to it. You may call it from any thread.
  ///
  /// It traps, with advice, if the process uses the toolchain's Dispatch.
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
