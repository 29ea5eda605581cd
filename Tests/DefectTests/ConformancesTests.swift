// D31 and D32: conformances and members that Apple's interface has.

import SignalboxDispatch
import Testing

@Suite
struct ConformancesTests {
  // Each call compiles only where the conformance is there.
  static func isSendable<T: Sendable>(_: T.Type) -> Bool { true }
  static func isHashable<T: Hashable>(_: T.Type) -> Bool { true }
  static func isEquatable<T: Equatable>(_: T.Type) -> Bool { true }

  /// D31.
  @Test func typesThatCrossThreadsAreSendable() {
    #expect(Self.isSendable(DispatchQueue.self))
    #expect(Self.isSendable(DispatchGroup.self))
    #expect(Self.isSendable(DispatchSemaphore.self))
    #expect(Self.isSendable(DispatchQoS.self))
    #expect(Self.isSendable(DispatchQoS.QoSClass.self))
    #expect(Self.isSendable(DispatchWorkItemFlags.self))
    #expect(Self.isSendable(DispatchQueue.Attributes.self))
    #expect(Self.isSendable(DispatchQueue.AutoreleaseFrequency.self))
    #expect(Self.isSendable(DispatchTime.self))
    #expect(Self.isSendable(DispatchWallTime.self))
    #expect(Self.isSendable(DispatchTimeInterval.self))
    #expect(Self.isSendable(DispatchTimeoutResult.self))
    #expect(Self.isSendable(DispatchPredicate.self))
  }

  /// D31.
  @Test func objectsAndValuesAreEquatableAndHashable() {
    #expect(Self.isHashable(DispatchQueue.self))
    #expect(Self.isHashable(DispatchGroup.self))
    #expect(Self.isHashable(DispatchSemaphore.self))
    #expect(Self.isHashable(DispatchObject.self))
    #expect(Self.isEquatable(DispatchQoS.self))
    #expect(Self.isEquatable(DispatchWorkItemFlags.self))
    #expect(Self.isEquatable(DispatchQueue.Attributes.self))
  }

  /// D32.
  @Test func timesAreAdvancedAndMeasured() {
    let time = DispatchTime(uptimeNanoseconds: 100)
    #expect(time.advanced(by: .nanoseconds(5)) == DispatchTime(uptimeNanoseconds: 105))
    #expect(time.distance(to: DispatchTime(uptimeNanoseconds: 90)) == .nanoseconds(-10))
  }
}
