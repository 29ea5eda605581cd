// FoundationObject — gives our classes the protocols of Foundation's objects.
//
// Foundation's classes inherit from `NSObject`; ours cannot, because they are built without
// Foundation. Here they conform to the protocols that `NSObject` conforms to, so that an
// operation can be the delegate of a session, and a queue can report its progress. Only a
// superclass could provide the rest: passing an object as an `NSObject`, and overriding
// `isEqual(_:)`, `hash` and `debugDescription` (see Documentation/Signalbox.docc/Moving.md).

public import Foundation
public import SignalboxLocks
public import SignalboxOperations
public import SignalboxRunLoop
public import SignalboxThreads

/// An object that provides its class's equality, hash and description in Foundation's terms.
///
/// The protocol is public because its extensions are; write `NSObjectProtocol` in programs.
public protocol _FoundationObject: NSObjectProtocol, Hashable, CustomDebugStringConvertible {}

extension _FoundationObject {
  /// Returns whether the other object is equal by `==`. An object of another type is not equal.
  ///
  /// You cannot override it.
  ///
  /// Source: Apple's documentation of `NSObjectProtocol.isEqual(_:)`.
  public func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AnyHashable else { return false }
    return AnyHashable(self) == other
  }

  /// The hash value.
  ///
  /// Source: Apple's documentation of `NSObjectProtocol.hash`.
  public var hash: Int { hashValue }

  /// Returns the object itself.
  public func `self`() -> Self { self }

  /// Returns `false`: the object is not a proxy.
  ///
  /// Source: Apple's documentation of `NSObjectProtocol.isProxy()`.
  public func isProxy() -> Bool { false }

  /// The object's `description`.
  public var debugDescription: String { description }
}

extension SignalboxThreads.Thread: _FoundationObject {}

extension SignalboxRunLoop.RunLoop: _FoundationObject {}
extension SignalboxRunLoop.Timer: _FoundationObject {}
extension SignalboxRunLoop.Port: _FoundationObject {}
extension SignalboxRunLoop.PortMessage: _FoundationObject {}

extension SignalboxOperations.Operation: _FoundationObject {}
extension SignalboxOperations.OperationQueue: _FoundationObject, ProgressReporting {}

extension SignalboxLocks.NSLock: _FoundationObject {}
extension SignalboxLocks.NSRecursiveLock: _FoundationObject {}
extension SignalboxLocks.NSCondition: _FoundationObject {}
extension SignalboxLocks.NSConditionLock: _FoundationObject {}
