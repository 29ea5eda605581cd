// FoundationObject — what Foundation promises of each of its objects, promised of ours.
//
// Foundation's classes descend from `NSObject`; ours cannot, because they are made without
// Foundation. What `NSObject` conforms to they conform to here, so that an operation can be
// the delegate of a session, and a queue report its progress. What remains is what only a
// superclass can give: to be passed as an `NSObject`, and `isEqual(_:)`, `hash` and
// `debugDescription` to override (see Documentation/Signalbox.docc/Moving.md).

public import Foundation
public import SignalboxLocks
public import SignalboxOperations
public import SignalboxRunLoop
public import SignalboxThreads

/// An object that is equal, hashed and described as its class has it, in Foundation's terms.
///
/// It is public because what it gives is; programs say `NSObjectProtocol`.
public protocol _FoundationObject: NSObjectProtocol, Hashable, CustomDebugStringConvertible {}

extension _FoundationObject {
  /// Whether the other object is equal by `==`; what is of another type is not.
  ///
  /// It cannot be overridden.
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

  /// The object itself.
  public func `self`() -> Self { self }

  /// That the object stands for no other: `false`.
  ///
  /// Source: Apple's documentation of `NSObjectProtocol.isProxy()`.
  public func isProxy() -> Bool { false }

  /// What `description` is.
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
