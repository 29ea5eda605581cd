// ConformancesTests — D31 and D32: conformances and members of Apple's interface.

import SignalboxDispatch
import Testing

@Suite
struct ConformancesTests {
  // Each call compiles only if the conformance exists.
  static func isSendable<T: Sendable>(_: T.Type) -> Bool { true }
  static func isHashable<T: Hashable>(_: T.Type) -> Bool { true }
  static func isEquatable<T: Equatable>(_: T.Type) -> Bool { true }

  /// D31.
  @Test func typesThatMayCrossThreadsAreSendable() {
    #expect(Self.isSendable(DispatchQueue.self))
    #expect(Self.isSendable(DispatchGroup.self))
    #expect(Self.isSendable(DispatchSemaphore.self))
    #expect(Self.isSendable(DispatchSource.self))
    #expect(Self.isSendable(DispatchQoS.self))
    #expect(Self.isSendable(DispatchQoS.QoSClass.self))
    #expect(Self.isSendable(DispatchWorkItemFlags.self))
    #expect(Self.isSendable(DispatchQueue.Attributes.self))
    #expect(Self.isSendable(DispatchQueue.AutoreleaseFrequency.self))
    #expect(Self.isSendable(DispatchQueue.GlobalQueuePriority.self))
    #expect(Self.isSendable(DispatchSpecificKey<Int>.self))
    #expect(Self.isSendable(DispatchTime.self))
    #expect(Self.isSendable(DispatchWallTime.self))
    #expect(Self.isSendable(DispatchTimeInterval.self))
    #expect(Self.isSendable(DispatchTimeoutResult.self))
    #expect(Self.isSendable(DispatchPredicate.self))
    #expect(Self.isSendable(DispatchSource.TimerFlags.self))
    #expect(Self.isSendable(DispatchIO.self))
    #expect(Self.isSendable(DispatchIO.CloseFlags.self))
    #expect(Self.isSendable(DispatchData.self))
  }

  /// D31.
  @Test func objectsAndValuesAreEquatableAndHashable() {
    #expect(Self.isHashable(DispatchQueue.self))
    #expect(Self.isHashable(DispatchGroup.self))
    #expect(Self.isHashable(DispatchSemaphore.self))
    #expect(Self.isHashable(DispatchSource.self))
    #expect(Self.isHashable(DispatchObject.self))
    #expect(Self.isHashable(DispatchIO.self))
    #expect(Self.isHashable(DispatchSpecificKey<Int>.self))
    #expect(Self.isHashable(DispatchTime.self))
    #expect(Self.isHashable(DispatchWallTime.self))
    #expect(Self.isEquatable(DispatchQoS.self))
    #expect(Self.isEquatable(DispatchWorkItemFlags.self))
    #expect(Self.isEquatable(DispatchQueue.Attributes.self))
    #expect(Self.isEquatable(DispatchSource.TimerFlags.self))
  }

  /// D31: equal values have one hash, and an object is equal only to itself.
  @Test func equalValuesAreFoundInSets() {
    let queue = DispatchQueue(label: "test.set")
    let other = DispatchQueue(label: "test.set")
    #expect(Set([queue, other, queue]).count == 2)
    #expect(queue == queue && queue != other)
    #expect(Set([DispatchQueue.main, .main, .global(), .global()]).count == 2)
    let keys = [DispatchSpecificKey<Int>(), DispatchSpecificKey<Int>()]
    #expect(Set(keys + keys).count == 2)
    let utility = DispatchQoS(qosClass: .utility, relativePriority: 0)
    #expect(
      Set([utility, .utility, DispatchQoS(qosClass: .utility, relativePriority: -1)]).count == 2)
    let time = DispatchTime(uptimeNanoseconds: 7)
    #expect(Set([time, DispatchTime(uptimeNanoseconds: 7), .distantFuture]).count == 2)
  }

  /// D32.
  @Test func timesAreAdvancedAndMeasured() {
    let time = DispatchTime(uptimeNanoseconds: 100)
    #expect(time.advanced(by: .nanoseconds(5)) == DispatchTime(uptimeNanoseconds: 105))
    #expect(time.distance(to: DispatchTime(uptimeNanoseconds: 90)) == .nanoseconds(-10))
    let wall = DispatchWallTime(timespec: .init(tv_sec: 100, tv_nsec: 0))
    #expect(wall.distance(to: wall.advanced(by: .seconds(2))) == .seconds(2))
  }

  /// D32: each of them runs the work that it receives.
  @Test func queuesOfApplesClassesExist() {
    let queues: [DispatchQueue] = [
      DispatchSerialQueue(label: "test.serial"), DispatchConcurrentQueue(label: "test.concurrent"),
      DispatchWorkloop(label: "test.workloop"),
    ]
    for queue in queues {
      var ran = 0
      queue.asyncAndWait { ran += 1 }
      queue.asyncAndWait(execute: DispatchWorkItem { ran += 1 })
      ran += queue.asyncAndWait(flags: .barrier) { 1 }
      #expect(ran == 3)
      #expect(queue.sync { String(cString: __dispatch_queue_get_label(nil)) } == queue.label)
    }
  }
}
