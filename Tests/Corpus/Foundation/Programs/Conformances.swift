// Conformances — what generic code may require of each type.

import Foundation

enum Conformances {
  static func object<
    T: NSObjectProtocol & Hashable & CustomStringConvertible & CustomDebugStringConvertible
  >(
    _: T.Type
  ) -> String { "\(T.self)" }
  static func reports<T: ProgressReporting>(_: T.Type) {}
  static func copies<T: NSCopying>(_: T.Type) {}
  static func equatable<T: Equatable>(_: T.Type) {}
  static func sendable<T: Sendable>(_: T.Type) {}
  static func metatype<T: SendableMetatype>(_: T.Type) {}
  static func lock<T: NSLocking>(_: T.Type) {}
  static func raw<T: RawRepresentable & Hashable & Sendable>(_: T.Type) -> T.RawValue.Type {
    T.RawValue.self
  }
  static func options<T: OptionSet & SetAlgebra & Sendable>(_: T.Type) {}
  static func literal<T: ExpressibleByArrayLiteral>(_: T.Type) {}
  static func anyRaw<T: RawRepresentable>(_: T.Type) {}

  static func run() {
    print(object(Thread.self))
    print(object(RunLoop.self))
    print(object(Timer.self))
    print(object(Operation.self))
    print(object(BlockOperation.self))
    print(object(OperationQueue.self))
    print(object(NSLock.self))
    print(object(NSRecursiveLock.self))
    print(object(NSConditionLock.self))
    print(object(NSCondition.self))
    print(object(Port.self))
    print(object(SocketPort.self))
    print(object(PortMessage.self))
    print(object(NotificationQueue.self))
    reports(OperationQueue.self)
    copies(Port.self)
    copies(SocketPort.self)
    copies(PortMessage.self)
    equality()
    sending()
    for type in [NSLock.self, NSRecursiveLock.self, NSConditionLock.self, NSCondition.self]
      as [Any.Type]
    {
      print(type is any NSLocking.Type)
    }
    lock(NSLock.self)
    lock(NSRecursiveLock.self)
    lock(NSConditionLock.self)
    lock(NSCondition.self)
    print(raw(RunLoop.Mode.self), raw(Operation.QueuePriority.self))
    print(raw(NotificationQueue.PostingStyle.self))
    options(NotificationQueue.NotificationCoalescing.self)
    literal(NotificationQueue.NotificationCoalescing.self)
    anyRaw(NotificationQueue.NotificationCoalescing.self)
  }

  static func equality() {
    equatable(Thread.self)
    equatable(RunLoop.self)
    equatable(Timer.self)
    equatable(Operation.self)
    equatable(BlockOperation.self)
    equatable(OperationQueue.self)
    equatable(NSLock.self)
    equatable(NSRecursiveLock.self)
    equatable(NSConditionLock.self)
    equatable(NSCondition.self)
    equatable(Port.self)
    equatable(SocketPort.self)
    equatable(PortMessage.self)
    equatable(NotificationQueue.self)
    equatable(RunLoop.Mode.self)
    equatable(Operation.QueuePriority.self)
    equatable(NotificationQueue.PostingStyle.self)
    equatable(NotificationQueue.NotificationCoalescing.self)
  }

  static func sending() {
    sendable(Operation.self)
    sendable(BlockOperation.self)
    sendable(OperationQueue.self)
    sendable(NSLock.self)
    sendable(NSRecursiveLock.self)
    sendable(NSConditionLock.self)
    sendable(NSCondition.self)
    metatype(Operation.self)
    metatype(BlockOperation.self)
    metatype(OperationQueue.self)
    metatype(NSLock.self)
    metatype(NSRecursiveLock.self)
    metatype(NSConditionLock.self)
    metatype(NSCondition.self)
    metatype(RunLoop.Mode.self)
    metatype(Operation.QueuePriority.self)
    metatype(NotificationQueue.PostingStyle.self)
    metatype(NotificationQueue.NotificationCoalescing.self)
  }
}
