// DispatchObject — what queues, groups, semaphores, sources and channels share.

import SignalboxRuntime

/// The base class of queues, groups, semaphores, sources and channels.
///
/// Objects are equal when they are identical.
///
/// Source: Apple's documentation of `DispatchObject`.
public class DispatchObject {
  /// The first field, because the C interface reads it at a fixed distance from the object's
  /// address.
  package final let handleForC: ObjectHandle
  /// The pointer that the program attached to the object.
  final let attachment = ObjectContext()

  init(_ kind: ObjectHandle.Kind) { handleForC = ObjectHandle(kind) }

  /// A queue has already finished its context in its own `deinit`.
  deinit {
    if attachment.isSet { attachment.finish(on: .global()) }
    handleForC.end()
  }

  /// Makes `queue` the target, on which this object's work runs.
  ///
  /// It has no effect on groups and semaphores, which run nothing themselves.
  public func setTarget(queue: DispatchQueue) {}

  /// Activates an object that was created inactive. It does nothing on an active one.
  public func activate() {}

  /// Prevents the object from starting work until you balance this call with ``resume()``. It has
  /// no effect on groups and semaphores, which start nothing.
  public func suspend() {}

  /// Undoes one ``suspend()``.
  public func resume() {}

  /// The object's address, for probes and reports.
  @inlinable @inline(__always)
  final var address: UnsafeRawPointer {
    // SAFETY: compared; followed only by code that holds a reference.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// The type of the object, and its label if it has one, for messages.
  public var description: String { "<\(type(of: self))>" }
}

extension DispatchObject: Hashable, CustomStringConvertible {
  public static func == (a: DispatchObject, b: DispatchObject) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
