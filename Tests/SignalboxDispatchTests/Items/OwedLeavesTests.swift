// OwedLeavesTests — members of a group that one thread runs one after another leave it together,
// and nobody notices.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("Owed leaves", .guarded) struct OwedLeavesTests {
  /// More than are left together.
  private static let many = 200

  @Test func membersInARowEmptyTheGroup() throws {
    let queue = DispatchQueue(label: "members")
    let group = DispatchGroup()
    let start = Gate("start")
    queue.async { start.pass() }
    for _ in 0..<Self.many { queue.async(group: group) {} }
    let told = Gate("told")
    group.notify(queue: .global()) { told.open() }
    #expect(group.description == "<DispatchGroup, members: \(Self.many)>")
    start.open()
    try told.wait()
    #expect(group.description == "<DispatchGroup, members: 0>")
  }

  @Test func groupIsLeftBeforeAMemberOfAnother() throws {
    let queue = DispatchQueue(label: "members")
    let (first, second) = (DispatchGroup(), DispatchGroup())
    let start = Gate("start")
    let left = Gate("the first group is empty")
    queue.async { start.pass() }
    for _ in 0..<3 { queue.async(group: first) {} }
    queue.async(group: second) { left.pass() }
    first.notify(queue: .global()) { left.open() }
    start.open()
    try left.wait()
    second.wait()
  }

  @Test func groupIsLeftBeforeAnItemWithoutOne() throws {
    let queue = DispatchQueue(label: "members")
    let group = DispatchGroup()
    let start = Gate("start")
    queue.async { start.pass() }
    for _ in 0..<3 { queue.async(group: group) {} }
    // This item would wait for ever for members that ran before it.
    queue.async { group.wait() }
    start.open()
    queue.sync {}
  }

  @Test func threadThatSleepsHasLeft() throws {
    for queue in [DispatchQueue(label: "members"), DispatchQueue.global()] {
      let group = DispatchGroup()
      let end = Gate("end")
      let start = Gate("start")
      // The target runs one item at a time, so that one thread runs all members in turn.
      let members = DispatchQueue(label: "in turn", target: queue)
      members.async { start.pass() }
      for _ in 0..<5 { members.async(group: group) {} }
      members.async(group: group) { end.pass() }
      start.open()
      let limit = Uptime.now() + RealTime.wedge
      while group.description != "<DispatchGroup, members: 1>" {
        try #require(Uptime.now() < limit, "\(group.description)")
        letRealTimePass(.milliseconds(1))
      }
      end.open()
      group.wait()
    }
  }

  @Test func innerDrainDoesNotHoldUpTheOuterGroup() throws {
    let (outer, inner) = (DispatchQueue(label: "outer"), DispatchQueue(label: "inner"))
    let (outerGroup, innerGroup) = (DispatchGroup(), DispatchGroup())
    let start = Gate("start")
    outer.async { start.pass() }
    for _ in 0..<3 { outer.async(group: outerGroup) {} }
    outer.async(group: outerGroup) {
      for _ in 0..<3 { inner.async(group: innerGroup) {} }
      inner.sync {}
      innerGroup.wait()
    }
    start.open()
    outerGroup.wait()
    #expect(outerGroup.description == "<DispatchGroup, members: 0>")
    #expect(innerGroup.description == "<DispatchGroup, members: 0>")
  }

  @Test func groupIsFreedWithItsLastMember() throws {
    let queue = DispatchQueue(label: "members")
    let watch = WeakWatch()
    let start = Gate("start")
    queue.async { start.pass() }
    do {
      let group = DispatchGroup()
      watch.watch(group)
      for _ in 0..<Self.many { queue.async(group: group) {} }
    }
    start.open()
    queue.sync {}
    try watch.waitUntilAllAreFreed()
  }

  @Test func whoeverGetsTheQueueNextFindsTheGroupLeft() throws {
    let queues = [
      DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent),
    ]
    for queue in queues {
      let group = DispatchGroup()
      let begun = EventCounter("begun")
      let isNext = Turns()
      // A round changes threads three times: on a busy machine there are fewer.
      let end = Uptime.now() + RealTime.wedge
      for round in 0..<5_000 where Uptime.now() < end {
        queue.async(group: group) {
          begun.increment()
          isNext.await(round)
        }
        // The worker ends the member while this thread gets into the queue's list behind it.
        try begun.wait(for: round + 1)
        isNext.set(round)
        queue.sync(flags: .barrier) {}
        try #require(group.wait(timeout: .now()) == .success, "\(queue.label), round \(round)")
      }
    }
  }

  /// A number that grows, awaited in a loop.
  private final class Turns: Sendable {
    private let now = Atomic(-1)

    // order: relaxed, both; the queue orders what matters.
    func set(_ turn: Int) { now.store(turn, ordering: .relaxed) }
    func await(_ turn: Int) { while now.load(ordering: .relaxed) < turn { sched_yield() } }
  }

  @Test func memberThatLeavesItsGroupItselfLeavesForTheOnesBefore() throws {
    let queue = DispatchQueue(label: "members")
    let group = DispatchGroup()
    let start = Gate("start")
    let told = EventCounter("notices")
    queue.async { start.pass() }
    for _ in 0..<3 { queue.async(group: group) {} }
    queue.async(group: group) {
      // It waits in a way of which the library knows nothing.
      group.leave()
      told.pass(1)
      group.enter()
    }
    group.notify(queue: .global()) { told.increment() }
    start.open()
    try told.wait(for: 1)
    group.wait()
  }
}
