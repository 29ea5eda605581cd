// QueueStateTests — the word's transitions, one after another. Plain logic: no threads.

@testable import SignalboxDispatch
import Testing

@Suite("Queue state") struct QueueStateTests {
  private let me: UInt32 = 7
  private let other: UInt32 = 9

  private func text(_ state: borrowing QueueState) -> String { state.snapshot.description }

  @Test func idleQueueIsTakenAndReleasedInOneStepEach() {
    let state = QueueState(inactive: false)
    #expect(state.tryTake(me) == true)
    #expect(text(state) == "owner 7")
    #expect(state.tryTake(other) == false)
    #expect(state.tryGiveUp(other) == false)
    #expect(state.tryGiveUp(me) == true)
    #expect(text(state) == "idle")
  }

  @Test func sharesAreCountedAndKeepOwnersOut() {
    let state = QueueState(inactive: false)
    #expect(state.tryShare() == true)
    #expect(state.tryShare() == true)
    #expect(text(state) == "shared 2")
    #expect(state.tryTake(me) == false)
    #expect(state.tryUnshare() == true)
    #expect(state.tryUnshare() == true)
    #expect(text(state) == "idle")
  }

  @Test func oneAnnouncementSendsOneDrainTask() {
    let state = QueueState(inactive: false)
    #expect(state.announce() == .schedule)
    #expect(state.announce() == .none)
    #expect(text(state) == "pending · scheduled")
    #expect(state.takeScheduled(me, own: true) == true)
    #expect(text(state) == "owner 7")
    #expect(state.finish() == true)
    #expect(text(state) == "idle")
  }

  @Test func itemAnnouncedToAnOwnerIsNotLostWhenItFinishes() {
    let state = QueueState(inactive: false)
    #expect(state.tryTake(me) == true)
    #expect(state.announce() == .none)
    #expect(state.tryGiveUp(me) == false)
    #expect(state.finish() == false)
    #expect(text(state) == "owner 7")
    #expect(state.finish() == true)
  }

  @Test func ownerThatLeavesItemsBehindSchedulesAnother() {
    let state = QueueState(inactive: false)
    #expect(state.tryTake(me) == true)
    #expect(state.leavePending() == .schedule)
    #expect(text(state) == "pending · scheduled")
  }

  @Test func drainTaskThatFindsAnOwnerLeavesTheWorkToIt() {
    let state = QueueState(inactive: false)
    #expect(state.announce() == .schedule)
    #expect(state.takeScheduled(me, own: false) == true)
    #expect(state.takeScheduled(other, own: true) == false)
    #expect(text(state) == "owner 7")
  }

  @Test func drainTaskThatReachesTheOwnerDoesNotTakeTheQueueAgain() {
    let state = QueueState(inactive: false)
    #expect(state.announce() == .schedule)
    #expect(state.takeScheduled(me, own: false) == true)
    #expect(state.takeScheduled(me, own: true) == false)
    #expect(text(state) == "owner 7")
    #expect(state.tryGiveUp(me) == true)
  }

  @Test func haltedQueueIsNotTakenAndKeepsPendingItems() {
    let state = QueueState(inactive: false)
    #expect(state.announce() == .schedule)
    #expect(state.suspend() == true)
    #expect(state.takeScheduled(me, own: true) == false)
    #expect(text(state) == "pending · suspended 1")
    #expect(state.tryTake(me) == false)
    #expect(state.suspend() == true)
    #expect(state.resume() == QueueState.Duty.none)
    #expect(state.resume() == .schedule)
    #expect(state.resume() == nil)
    #expect(text(state) == "pending · scheduled")
  }

  @Test func inactiveQueueBeginsOnceActivated() {
    let state = QueueState(inactive: true)
    #expect(state.tryTake(me) == false)
    #expect(state.announce() == .none)
    #expect(text(state) == "pending · inactive")
    #expect(state.activate() == .schedule)
    #expect(state.activate() == .none)
  }

  @Test func lastShareServesItemsThatWaitForIt() {
    let state = QueueState(inactive: false)
    #expect(state.tryShare() == true)
    #expect(state.tryShare() == true)
    #expect(state.announceWaiter(me, alone: true) == false)
    #expect(text(state) == "shared 2 · pending · gated")
    #expect(state.tryUnshare() == false)
    #expect(state.leaveShared(other) == false)
    #expect(state.leaveShared(other) == true)
    #expect(text(state) == "owner 9")
    state.grant(to: me, more: false)
    #expect(text(state) == "owner 7")
    #expect(state.tryGiveUp(me) == true)
  }

  @Test func ownerDoesNotGateItselfWhenTheLastShareHasEnded() {
    let state = QueueState(inactive: false)
    #expect(state.tryTake(me) == true)
    #expect(state.leaveGated() == false)
    #expect(text(state) == "owner 7")
  }

  @Test func ownerThatRunsConcurrentlyLetsOthersServe() {
    let state = QueueState(inactive: false)
    #expect(state.tryTake(me) == true)
    #expect(state.becomeShared(more: true) == .schedule)
    #expect(text(state) == "shared 1 · pending · scheduled")
    #expect(state.takeScheduled(other, own: true) == true)
    #expect(state.leaveShared(me) == false)
    #expect(text(state) == "owner 9")
  }

  @Test func suspensionsAreLimited() {
    let state = QueueState(inactive: false)
    let most = QueueState.Snapshot.mostSuspensions
    let isAllCounted = (0..<most).allSatisfy { _ in state.suspend() }
    #expect(isAllCounted)
    #expect(state.suspend() == false)
    #expect(text(state) == "suspended \(most)")
  }

  // MARK: Full

  /// Returns a word that counts as many shares as it can.
  private func full() -> QueueState {
    let state = QueueState(inactive: false)
    let isAllCounted = (0..<QueueState.Snapshot.mostShared).allSatisfy { _ in state.tryShare() }
    #expect(isAllCounted)
    return state
  }

  @Test func fullQueueGrantsNoShareAndSchedulesNoDrainTask() {
    let state = full()
    let most = QueueState.Snapshot.mostShared
    #expect(state.tryShare() == false)
    #expect(state.announceWaiter(me, alone: false) == false)
    #expect(text(state) == "shared \(most) · pending")
    #expect(state.announce() == .none)
    #expect(state.takeWaiting(me) == false)
    #expect(text(state) == "shared \(most) · pending")
  }

  @Test func threadThatReleasesAShareOfAFullQueueServesIt() {
    let state = full()
    #expect(state.announce() == .none)
    #expect(state.tryUnshare() == false)
    #expect(state.leaveShared(me) == true)
    #expect(text(state) == "owner 7 · shared \(QueueState.Snapshot.mostShared - 1)")
    #expect(state.becomeShared(more: true) == .none)
    #expect(text(state) == "shared \(QueueState.Snapshot.mostShared) · pending")
  }

  @Test func ownerOfAFullQueueLeavesUnlessAShareWasReleased() {
    let state = full()
    #expect(state.takeScheduled(me, own: false) == true)
    #expect(state.leaveFull() == true)
    #expect(state.takeScheduled(me, own: false) == true)
    #expect(state.leaveShared(other) == false)
    #expect(state.leaveFull() == false)
    #expect(state.snapshot.owner == me)
  }

  @Test func suspendedFullQueueContinuesWhenItIsResumed() {
    let state = full()
    #expect(state.announce() == .none)
    #expect(state.suspend() == true)
    #expect(state.leaveShared(me) == false)
    #expect(state.resume() == .schedule)
    let other = full()
    #expect(other.announce() == .none)
    #expect(other.suspend() == true)
    #expect(other.resume() == QueueState.Duty.none)
    #expect(other.leaveShared(me) == true)
  }
}
