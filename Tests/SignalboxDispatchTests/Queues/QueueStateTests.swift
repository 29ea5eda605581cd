// QueueStateTests — the word's transitions, one after another. Plain logic: no threads.

@testable import SignalboxDispatch
import Testing

@Suite("Queue state") struct QueueStateTests {
  private let me: UInt32 = 7
  private let other: UInt32 = 9

  private func text(_ state: borrowing QueueState) -> String { state.snapshot.description }

  @Test func idleQueueIsTakenAndGivenUpInOneStepEach() {
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

  @Test func oneAnnouncementSendsOneInvitation() {
    let state = QueueState(inactive: false)
    #expect(state.announce() == .enlist)
    #expect(state.announce() == .none)
    #expect(text(state) == "pending · enlisted")
    #expect(state.takeInvited(me, own: true) == true)
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

  @Test func ownerThatLeavesItemsBehindInvitesAnother() {
    let state = QueueState(inactive: false)
    #expect(state.tryTake(me) == true)
    #expect(state.leavePending() == .enlist)
    #expect(text(state) == "pending · enlisted")
  }

  @Test func invitationThatFindsAnOwnerLeavesTheWorkToIt() {
    let state = QueueState(inactive: false)
    #expect(state.announce() == .enlist)
    #expect(state.takeInvited(me, own: false) == true)
    #expect(state.takeInvited(other, own: true) == false)
    #expect(text(state) == "owner 7")
  }

  @Test func invitationThatComesToTheOwnerItselfIsNoSecondTaking() {
    let state = QueueState(inactive: false)
    #expect(state.announce() == .enlist)
    #expect(state.takeInvited(me, own: false) == true)
    #expect(state.takeInvited(me, own: true) == false)
    #expect(text(state) == "owner 7")
    #expect(state.tryGiveUp(me) == true)
  }

  @Test func haltedQueueIsTakenByNobodyAndKeepsWhatIsPending() {
    let state = QueueState(inactive: false)
    #expect(state.announce() == .enlist)
    #expect(state.suspend() == true)
    #expect(state.takeInvited(me, own: true) == false)
    #expect(text(state) == "pending · suspended 1")
    #expect(state.tryTake(me) == false)
    #expect(state.suspend() == true)
    #expect(state.resume() == QueueState.Duty.none)
    #expect(state.resume() == .enlist)
    #expect(state.resume() == nil)
    #expect(text(state) == "pending · enlisted")
  }

  @Test func inactiveQueueBeginsOnceActivated() {
    let state = QueueState(inactive: true)
    #expect(state.tryTake(me) == false)
    #expect(state.announce() == .none)
    #expect(text(state) == "pending · inactive")
    #expect(state.activate() == .enlist)
    #expect(state.activate() == .none)
  }

  @Test func lastShareServesWhatWaitsForIt() {
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

  @Test func ownerThatRunsBesideOthersLetsThemServe() {
    let state = QueueState(inactive: false)
    #expect(state.tryTake(me) == true)
    #expect(state.becomeShared(more: true) == .enlist)
    #expect(text(state) == "shared 1 · pending · enlisted")
    #expect(state.takeInvited(other, own: true) == true)
    #expect(state.leaveShared(me) == false)
    #expect(text(state) == "owner 9")
  }

  @Test func suspensionsHaveAnEnd() {
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

  @Test func fullQueueGivesNoShareAndInvitesNobody() {
    let state = full()
    let most = QueueState.Snapshot.mostShared
    #expect(state.tryShare() == false)
    #expect(state.announceWaiter(me, alone: false) == false)
    #expect(text(state) == "shared \(most) · pending")
    #expect(state.announce() == .none)
    #expect(state.takeWaiting(me) == false)
    #expect(text(state) == "shared \(most) · pending")
  }

  @Test func whoeverGivesUpAShareOfAFullQueueServesWhatWaits() {
    let state = full()
    #expect(state.announce() == .none)
    #expect(state.tryUnshare() == false)
    #expect(state.leaveShared(me) == true)
    #expect(text(state) == "owner 7 · shared \(QueueState.Snapshot.mostShared - 1)")
    #expect(state.becomeShared(more: true) == .none)
    #expect(text(state) == "shared \(QueueState.Snapshot.mostShared) · pending")
  }

  @Test func ownerOfAFullQueueLeavesUnlessAShareWasGivenUp() {
    let state = full()
    #expect(state.takeInvited(me, own: false) == true)
    #expect(state.leaveFull() == true)
    #expect(state.takeInvited(me, own: false) == true)
    #expect(state.leaveShared(other) == false)
    #expect(state.leaveFull() == false)
    #expect(state.snapshot.owner == me)
  }

  @Test func fullQueueThatIsSuspendedGoesOnWhenItIsResumed() {
    let state = full()
    #expect(state.announce() == .none)
    #expect(state.suspend() == true)
    #expect(state.leaveShared(me) == false)
    #expect(state.resume() == .enlist)
    let other = full()
    #expect(other.announce() == .none)
    #expect(other.suspend() == true)
    #expect(other.resume() == QueueState.Duty.none)
    #expect(other.leaveShared(me) == true)
  }
}
