// GroupCoreTests — what a notice waits for when a group is reused.

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

  @Test func firstAndLastMembersAreReportedToTheOwner() {
    let core = GroupCore()
    #expect(core.leave() == .wasEmpty)
    for _ in 0..<2 {
      #expect(core.enter() == .first)
      #expect(core.enter() == .further)
      #expect(core.members == 2)
      #expect(core.leave() == .left)
      #expect(core.leave() == .last)
      #expect(core.members == 0)
    }
  }

  @Test func withdrawnNoticeIsNotCalled() throws {
    try withEvery("order of taking back", in: [[0, 1, 2], [2, 1, 0], [1, 0], [1], [2, 0]]) {
      taken in
      let core = GroupCore()
      let told = EventLog<Int>()
      let notices = (0..<3).map { NotedNotice.make($0, told) }
      #expect(core.enter() == .first)
      for notice in notices { #expect(core.add(notice) == true) }
      for number in taken {
        #expect(core.withdraw(notices[number]) == true)
        #expect(core.withdraw(notices[number]) == false)
      }
      #expect(core.noticeCount == 3 - taken.count)
      core.leave()
      #expect(told.all == (0..<3).filter { !taken.contains($0) })
      for notice in notices {
        #expect(core.withdraw(notice) == false)
        NotedNotice.free(notice)
      }
    }
  }

  @Test func noticeOfAnEmptyGroupIsNotAdded() {
    let core = GroupCore()
    let notice = NotedNotice.make(0, EventLog())
    #expect(core.add(notice) == false)
    #expect(core.noticeCount == 0)
    #expect(core.withdraw(notice) == false)
    NotedNotice.free(notice)
  }

  /// The thread that emptied the group reaches the list after the group was entered again, and
  /// leaves the notices that were added since. They are called or withdrawn like any others.
  @Test func noticesLeftByALateEmptierCanBeWithdrawn() throws {
    try withEvery("taken back", in: [[], [0], [1], [2], [0, 1, 2]]) { taken in
      let core = GroupCore()
      let told = EventLog<Int>()
      let notices = (0..<3).map { NotedNotice.make($0, told) }
      #expect(core.enter() == .first)
      for notice in notices { #expect(core.add(notice) == true) }
      let generationBefore = UInt64(UInt32.max) << 32
      core.tell(generationBefore | GroupCore.Bits.notices)
      #expect(core.noticeCount == 3)
      for number in taken { #expect(core.withdraw(notices[number]) == true) }
      core.leave()
      #expect(told.all == (0..<3).filter { !taken.contains($0) })
      #expect(core.noticeCount == 0)
      for notice in notices { NotedNotice.free(notice) }
    }
  }
}

/// A notice that records its number; the test frees it.
private struct NotedNotice {
  private let notice: GroupNotice
  private let number: Int
  private let told: EventLog<Int>

  static func make(_ number: Int, _ told: EventLog<Int>) -> GroupNotice.Pointer {
    let pointer = UnsafeMutablePointer<NotedNotice>.allocate(capacity: 1)
    pointer.initialize(
      to: NotedNotice(
        notice: GroupNotice { raw in
          // SAFETY: made above.
          let noted = raw.assumingMemoryBound(to: NotedNotice.self).pointee
          noted.told.append(noted.number)
        }, number: number, told: told))
    // SAFETY: the notice is the first field.
    return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GroupNotice.self)
  }

  static func free(_ notice: GroupNotice.Pointer) {
    // SAFETY: made by `make`.
    let noted = UnsafeMutableRawPointer(notice).assumingMemoryBound(to: NotedNotice.self)
    noted.deinitialize(count: 1)
    noted.deallocate()
  }
}
