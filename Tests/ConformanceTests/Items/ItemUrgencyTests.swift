// ItemUrgencyTests — D8, D27: which quality of service an item runs with, given its own, its
// queue's and its submitter's.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ItemUrgencyTests {
  static let classes: [DispatchQoS.QoSClass] = [
    .background, .utility, .default, .userInitiated, .userInteractive,
  ]

  static func qos(_ qosClass: DispatchQoS.QoSClass) -> DispatchQoS {
    DispatchQoS(qosClass: qosClass, relativePriority: 0)
  }

  /// Returns the class that the submitted item sees.
  static func seen(_ submit: (@escaping @Sendable () -> Void) -> Void) throws -> qos_class_t {
    let log = EventLog<qos_class_t>()
    submit { log.append(qos_class_self()) }
    return try log.wait(forCount: 1)[0]
  }

  /// Returns the same for an item that an item of the class `submitter` submits.
  static func seen(
    from submitter: DispatchQoS.QoSClass,
    _ submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) throws -> qos_class_t {
    try seen { body in DispatchQueue.global(qos: submitter).async { submit(body) } }
  }

  @Test func classesHaveTheNumbersOfC() {
    #expect(Set(DispatchQoS.QoSClass.allCases.map(\.rawValue)).count == 6)
    for qosClass in DispatchQoS.QoSClass.allCases {
      #expect(DispatchQoS.QoSClass(rawValue: qosClass.rawValue) == qosClass)
    }
    #expect(DispatchQoS.QoSClass.userInteractive.rawValue.rawValue == 0x21)
    #expect(DispatchQoS.QoSClass.unspecified.rawValue == QOS_CLASS_UNSPECIFIED)
    #expect(DispatchQoS.QoSClass(rawValue: qos_class_t(7)) == nil)
  }

  /// D27: each class has a queue of its own, whose class reads back correctly.
  @Test(arguments: classes)
  func queueKeepsItsClass(_ qosClass: DispatchQoS.QoSClass) throws {
    let queue = DispatchQueue(label: "test.own", qos: Self.qos(qosClass))
    #expect(queue.qos.qosClass == qosClass)
    #expect(DispatchQueue.global(qos: qosClass).qos.qosClass == qosClass)
    #expect(try Self.seen { queue.async(execute: $0) } == qosClass.rawValue)
    #expect(
      try Self.seen { DispatchQueue.global(qos: qosClass).async(execute: $0) }
        == qosClass.rawValue)
  }

  @Test func threadOutsideAnyItemHasNoClass() throws {
    try runThreads(1) { _ in #expect(qos_class_self() == QOS_CLASS_UNSPECIFIED) }
  }

  @Test(arguments: classes, classes)
  func itemOfAQueueWithoutAClassHasItsOwnClass(
    _ own: DispatchQoS.QoSClass, _ submitter: DispatchQoS.QoSClass
  ) throws {
    let found = try Self.seen(from: submitter) { body in
      DispatchQueue(label: "test.silent").async(qos: Self.qos(own), execute: body)
    }
    #expect(found == own.rawValue)
  }

  /// The highest class is not propagated, so that few items have it.
  @Test(arguments: classes)
  func itemWithoutAClassInheritsItsSubmittersClass(
    _ submitter: DispatchQoS.QoSClass
  ) throws {
    let found = try Self.seen(from: submitter) { body in
      DispatchQueue(label: "test.silent").async(execute: body)
    }
    let expected = submitter == .userInteractive ? .userInitiated : submitter
    #expect(found == expected.rawValue)
  }

  @Test(arguments: classes)
  func detachedItemInheritsNothingFromItsSubmitter(_ submitter: DispatchQoS.QoSClass) throws {
    for flags in [DispatchWorkItemFlags.detached, .noQoS] {
      let found = try Self.seen(from: submitter) { body in
        DispatchQueue(label: "test.silent").async(flags: flags, execute: body)
      }
      #expect(found == QOS_CLASS_DEFAULT)
    }
  }

  /// The queue's class applies, unless the item enforces a higher one.
  @Test(arguments: classes, classes)
  func queuesClassAppliesUnlessAHigherOneIsEnforced(
    _ own: DispatchQoS.QoSClass, _ queues: DispatchQoS.QoSClass
  ) throws {
    let queue = DispatchQueue(label: "test.says", qos: Self.qos(queues))
    #expect(
      try Self.seen { queue.async(qos: Self.qos(own), execute: $0) } == queues.rawValue)
    let enforced = try Self.seen {
      queue.async(qos: Self.qos(own), flags: .enforceQoS, execute: $0)
    }
    #expect(enforced.rawValue == max(own.rawValue.rawValue, queues.rawValue.rawValue))
  }

  /// `async` uses the queue's class in any case.
  @Test(arguments: classes)
  func inheritedClassIsTheQueuesOrTheItemsOwn(_ queues: DispatchQoS.QoSClass) throws {
    let says = DispatchQueue(label: "test.says", qos: Self.qos(queues))
    let saysNothing = DispatchQueue(label: "test.silent")
    #expect(
      try Self.seen { says.async(qos: .utility, flags: .inheritQoS, execute: $0) }
        == queues.rawValue)
    #expect(
      try Self.seen { saysNothing.async(qos: Self.qos(queues), flags: .inheritQoS, execute: $0) }
        == queues.rawValue)
  }

  // SAFETY: its creator does not use it after the hand-over.
  struct Handed: @unchecked Sendable { let item: DispatchWorkItem }

  @Test(arguments: classes)
  func workItemInheritsTheClassOfItsCreator(_ maker: DispatchQoS.QoSClass) throws {
    let made = EventLog<Handed>()
    let seen = EventLog<qos_class_t>()
    DispatchQueue.global(qos: maker).async {
      made.append(
        Handed(
          item: DispatchWorkItem(flags: .assignCurrentContext) { seen.append(qos_class_self()) }))
    }
    let item = try made.wait(forCount: 1)[0].item
    DispatchQueue(label: "test.silent").async(execute: item)
    #expect(try seen.wait(forCount: 1)[0] == maker.rawValue)
  }

  /// `sync` runs on its caller with the caller's class.
  @Test func syncKeepsTheCallersClass() throws {
    let queue = DispatchQueue(label: "test.sync", qos: .background)
    let found = try Self.seen(from: .userInitiated) { body in queue.sync(execute: body) }
    #expect(found == QOS_CLASS_USER_INITIATED)
  }

  /// Through targets, the class of the queue that received the item applies.
  @Test func queueWithoutAClassInheritsItsTargetsClass() throws {
    let target = DispatchQueue(label: "test.target", qos: .utility)
    let silent = DispatchQueue(label: "test.silent", target: target)
    let says = DispatchQueue(label: "test.says", qos: .userInitiated, target: target)
    #expect(try Self.seen { silent.async(execute: $0) } == QOS_CLASS_UTILITY)
    #expect(try Self.seen { says.async(execute: $0) } == QOS_CLASS_USER_INITIATED)
  }
}
