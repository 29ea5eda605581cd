// GroupCoreTests — what a notice waits for when a group is used again.

@testable import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Group core", .guarded) struct GroupCoreTests {
  @Test func noticeOfALaterUseWaitsForThatUse() throws {
    let queue = DispatchQueue(label: "notices")
    let group = DispatchGroup()
    let told = EventLog<Int>()
    group.enter()
    group.notify(queue: queue) { told.append(1) }
    group.leave()
    group.enter()
    group.notify(queue: queue) { told.append(2) }
    queue.sync {}
    #expect(told.all == [1])
    group.leave()
    queue.sync {}
    #expect(told.all == [1, 2])
  }

  @Test func noticesAreSubmittedInTheirOrder() {
    let queue = DispatchQueue(label: "notices")
    let group = DispatchGroup()
    let told = EventLog<Int>()
    group.enter()
    for number in 0..<10 { group.notify(queue: queue) { told.append(number) } }
    group.leave()
    queue.sync {}
    #expect(told.all == Array(0..<10))
  }

  @Test func leavingAnEmptyCoreIsToldToItsOwner() {
    let core = GroupCore()
    #expect(core.leave() == .wasEmpty)
    #expect(core.enter() == true)
    #expect(core.members == 1)
    #expect(core.leave() == .left)
    #expect(core.members == 0)
  }
}
