// Conformances — what generic code may require of each type.

import Dispatch

enum Conformances {
  static func sendable<T: Sendable>(_: T.Type) {}
  static func metatype<T: SendableMetatype>(_: T.Type) -> String { "\(T.self)" }
  static func hashable<T: Hashable>(_: T.Type) {}
  static func raw<T: RawRepresentable>(_: T.Type) -> T.RawValue.Type { T.RawValue.self }
  static func literal<T: ExpressibleByArrayLiteral>(_: T.Type) {}
  static func iterator<T: IteratorProtocol>(_: T.Type) -> T.Element.Type { T.Element.self }
  static func reads<T: DispatchSourceRead>(_: T.Type) {}
  static func writes<T: DispatchSourceWrite>(_: T.Type) {}
  static func signals<T: DispatchSourceSignal>(_: T.Type) {}

  static func run() {
    sendable(DispatchGroup.self)
    sendable(DispatchIO.self)
    sendable(DispatchPredicate.self)
    sendable(DispatchQoS.self)
    sendable(DispatchQoS.QoSClass.self)
    sendable(DispatchQueue.self)
    sendable(DispatchSemaphore.self)
    sendable(DispatchSource.self)
    sendable(DispatchSpecificKey<Int>.self)
    sendable(DispatchTime.self)
    sendable(DispatchTimeInterval.self)
    sendable(DispatchTimeoutResult.self)
    sendable(DispatchWallTime.self)
    let names = [
      metatype(DispatchGroup.self),
      metatype(DispatchIO.self),
      metatype(DispatchPredicate.self),
      metatype(DispatchQoS.self),
      metatype(DispatchQoS.QoSClass.self),
      metatype(DispatchQueue.self),
      metatype(DispatchSemaphore.self),
      metatype(DispatchSource.self),
      metatype(DispatchSpecificKey<Int>.self),
      metatype(DispatchTime.self),
      metatype(DispatchTimeInterval.self),
      metatype(DispatchTimeoutResult.self),
      metatype(DispatchWallTime.self),
    ]
    print(names)
    hashable(DispatchQueue.AutoreleaseFrequency.self)
    hashable(DispatchQueue.GlobalQueuePriority.self)
    hashable(DispatchTimeoutResult.self)
    print(raw(DispatchIO.CloseFlags.self))
    print(raw(DispatchIO.IntervalFlags.self))
    print(raw(DispatchQueue.Attributes.self))
    print(raw(DispatchSource.FileSystemEvent.self))
    print(raw(DispatchSource.TimerFlags.self))
    print(raw(DispatchWorkItemFlags.self))
    literal(DispatchIO.CloseFlags.self)
    literal(DispatchIO.IntervalFlags.self)
    literal(DispatchQueue.Attributes.self)
    literal(DispatchSource.FileSystemEvent.self)
    literal(DispatchSource.TimerFlags.self)
    literal(DispatchWorkItemFlags.self)
    print(iterator(DispatchDataIterator.self))
    reads(DispatchSource.self)
    writes(DispatchSource.self)
    signals(DispatchSource.self)
  }
}
