// QueueLevel — the model of `SignalboxDispatch/Queue/QoS/QueueLevel.swift`: if the drain task has a
// lower QoS than usual, an item of usual QoS raises it.

import Testing

enum QueueLevelSite: Site {
  /// The lowering thread: a store, then a look whether its item is still the only one.
  case lower, lookAtTail
  /// The submitter: the exchange of the list's tail, then a look.
  case exchangeTail, lookForLowered

  var access: Access {
    switch self {
    case .lower: .store
    case .exchangeTail: .update
    case .lookAtTail, .lookForLowered: .load
    }
  }

  var ordering: Ordering { .sequentiallyConsistent }

  var operations: [String] {
    switch self {
    case .lower: ["QoS/QueueLevel.lower:QL1"]
    case .lookAtTail: ["Pool/ItemList.holdsOnly:QL1"]
    case .exchangeTail: ["Pool/ItemList.append:IL1+QL1+IB1"]
    case .lookForLowered: ["QoS/QueueLevel.isLowered:QL1"]
    }
  }
}

@Suite struct QueueLevelTests {
  /// A thread has just appended item 1, which has a lower QoS than usual, and is about to
  /// schedule the queue. An item of usual QoS arrives.
  private var scenario: Scenario<QueueLevelSite> {
    Scenario("a usual item comes to a queue that is being lowered") { p, orderings in
      let tail = p.atomic("tail", 1)
      let lowered = p.atomic("lowered")
      let scheduledAsUsual = p.atomic("scheduled as usual")
      p.thread("lowers") { t in
        try t.store(1, to: lowered, orderings[.lower])
        if try t.load(tail, orderings[.lookAtTail]) != 1 {
          try t.store(0, to: lowered, .relaxed)
          try t.store(1, to: scheduledAsUsual, .relaxed)
        }
      }
      p.thread("submits") { t in
        _ = try t.exchange(tail, 2, orderings[.exchangeTail])
        if try t.load(lowered, orderings[.lookForLowered]) != 0 {
          try t.store(0, to: lowered, .relaxed)
          try t.store(1, to: scheduledAsUsual, .relaxed)
        }
      }
      p.atEnd { end in
        end[scheduledAsUsual] == 1 ? nil : "item 2 waits behind a lowered drain task"
      }
    }
  }

  @Test func aUsualItemIsNotServedAtALoweredLevel() {
    expectHolds([scenario])
  }

  @Test func everyOrderingOfTheLoweredLevelIsNeeded() {
    expectEachWeakeningFails([scenario])
  }
}
