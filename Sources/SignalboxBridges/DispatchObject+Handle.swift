// DispatchObject+Handle — the address by which C code names an object.

public import SignalboxDispatch
import SignalboxDropIn

extension SignalboxDispatch.DispatchObject {
  /// Calls `body` with C's handle for this object: a `dispatch_queue_t`, a `dispatch_group_t` and
  /// so on.
  ///
  /// ```swift
  /// queue.withHandle { connection_set_queue(connection, $0) }
  /// ```
  ///
  /// The handle holds no reference: C code that keeps it calls `dispatch_retain`. You may call this
  /// from any thread.
  ///
  /// *Beyond Apple's API.*
  public func withHandle<Result: ~Copyable, Failure>(
    _ body: (OpaquePointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(OpaquePointer(Handles.lent(self)))
  }

  /// C's handle for this object, with a reference that `dispatch_release` releases.
  ///
  /// You may call this from any thread.
  ///
  /// *Beyond Apple's API.*
  public func retainedHandle() -> OpaquePointer { OpaquePointer(Handles.shared(self)) }
}
