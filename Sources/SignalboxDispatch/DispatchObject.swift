// DispatchObject — what queues, groups and semaphores have in common.

import SignalboxRuntime

/// The base of queues, groups and semaphores.
///
/// Objects are equal when they are identical.
///
/// Source: Apple's documentation of `DispatchObject`.
public class DispatchObject {
  /// The pointer that a program attached to it.
  final let attachment = ObjectContext()

  init() {}

  /// A queue has seen to its context by now.
  deinit {
    if attachment.isSet { attachment.finish(on: .global()) }
  }

  /// Makes `queue` the one on which this object's work runs.
  ///
  /// Groups and semaphores run nothing themselves: on them it does nothing.
  public func setTarget(queue: DispatchQueue) {}

  /// Lets an object that was made inactive begin. Does nothing on an active
  /// one.
  public func activate() {}

  /// Keeps the object from starting work until ``resume()`` was called as
  /// often. Groups and semaphores start nothing: on them it does nothing.
  public func suspend() {}

  /// Takes back one ``suspend()``.
  public func resume() {}

  /// The object's address, for probes and reports.
  @inlinable @inline(__always)
  final var address: UnsafeRawPointer {
    // SAFETY: compared; followed only where a reference is held.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// What the object is, with its label, for messages.
  public var description: String { "<\(type(of: self))>" }
}

extension DispatchObject: Hashable, CustomStringConvertible {
  public static func == (a: DispatchObject, b: DispatchObject) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
