// CFRunLoop+MainQueue — the main loop serves the main queue, in the common modes, and the
// toolchain's main queue with it.
//
// Both have a descriptor in the loop's set while a common mode runs. That of our own queue
// is told once for each write and not read: whether there is work the queue itself says, and a
// sleep that was ended without any goes on. It is read when the outermost run has ended, for
// another loop that hosts the queue then. The toolchain's is told as long as it is readable, and
// its drain reads it.
//
// Nothing is lost: work is announced in the queue's word first, and the descriptor written
// to afterwards. A loop that has looked at the word and found nothing is told by the
// descriptor; one that was told by it looks at the word.
//
// Within an item of the main queue the loop leaves the main queue alone: what comes then
// is seen when that item ends, which announces it anew. The toolchain's is served there too.
//
// Touching    everything: the main thread.

import SignalboxDispatch
import SignalboxRuntime

/// What the main loop knows of the main queues.
struct MainQueueInput {
  /// How the descriptors stand in the loop's set.
  fileprivate enum Standing { case absent, silent, told }

  fileprivate var standing = Standing.absent
  fileprivate var toolchainStanding = Standing.absent
  /// Whether the toolchain's main queue is left to who serves it already: a host that does.
  var leavesToolchain = false
  /// When it was last looked at although something else was ready, on the coarse clock.
  fileprivate var lastLook: UInt64 = 0
  /// Whether a look or a sleep has told of work of the toolchain's main queue, and of ours.
  fileprivate var toolchainHasWork = false
  fileprivate var ownHasWork = false
  /// Whether our own descriptor may have been written to since it was last read.
  fileprivate var isUnread = false

  static var ownToken: UInt64 { DescriptorSleeper.firstToken }
  /// Behind all that ports ever have.
  static var toolchainToken: UInt64 { .max }
}

extension CFRunLoop {
  /// Whether the loop has the main queue to wait for in this mode: it is never without
  /// something to do there.
  func servesMainQueue(_ mode: LoopMode) -> Bool {
    isMain && mode.isCommon && !MainQueueDrain.shared.isWithinItem
  }

  /// Step 5: whether something waits on the main queue. No system call.
  func mainQueueHasWork(_ mode: LoopMode) -> Bool {
    isMain && mode.isCommon && MainQueueDrain.shared.hasWork && servesMainQueue(mode)
  }

  /// Whether only a look can tell if the toolchain's main queue has work: no sleep follows
  /// that does. Where that is because something else is ready, a look in each tick of the
  /// coarse clock will do.
  func mainQueueNeedsLook(_ mode: LoopMode, sleepsElse: Bool, _ isReady: Bool) -> Bool {
    guard !sleepsElse || isReady, isMain, mode.isCommon, !mainQueueInput.leavesToolchain,
      MainQueueDrain.shared.toolchainDescriptor >= 0
    else { return false }
    if !sleepsElse { return true }
    let now = Clock.coarseUptime
    defer { mainQueueInput.lastLook = now }
    return mainQueueInput.lastLook != now
  }

  /// Has the loop's set tell of the main queues, if it is to in this mode.
  ///
  /// - Parameter isNew: whether nothing is in the set.
  func fitMainQueue(into sleeper: LoopSleeper, _ mode: LoopMode, isNew: Bool) {
    guard isMain else { return }
    if isNew {
      mainQueueInput.standing = .absent
      mainQueueInput.toolchainStanding = .absent
    }
    // What never runs in a common mode makes no descriptors of the main queue.
    let isIn = mainQueueInput.standing != .absent || mainQueueInput.toolchainStanding != .absent
    guard mode.isCommon || isIn else { return }
    let drain = MainQueueDrain.shared
    fit(
      drain.ownDescriptor, MainQueueInput.ownToken, DescriptorSleeper.readableOnce, into: sleeper,
      &mainQueueInput.standing, isTold: mode.isCommon)
    // A forked child has no use for the toolchain's: its libdispatch does not work in one.
    if drain.toolchainDescriptor >= 0 && !Fork.hasHappened {
      fit(
        drain.toolchainDescriptor, MainQueueInput.toolchainToken, DescriptorSleeper.readable,
        into: sleeper, &mainQueueInput.toolchainStanding,
        isTold: mode.isCommon && !mainQueueInput.leavesToolchain)
    }
  }

  private func fit(
    _ descriptor: Int32, _ token: UInt64, _ bits: UInt32, into sleeper: LoopSleeper,
    _ standing: inout MainQueueInput.Standing, isTold: Bool
  ) {
    let wanted: MainQueueInput.Standing = isTold ? .told : .silent
    let now = standing
    if now == wanted || now == .absent && wanted == .silent { return }
    MainQueueDrain.shared.noteDriven()
    standing = wanted
    let error =
      now == .absent
      ? sleeper.sleeper.add(descriptor, token: token, bits: isTold ? bits : 0)
      : sleeper.sleeper.change(descriptor, token: token, bits: isTold ? bits : 0)
    if error != 0 {
      environmentFailure(
        "epoll_ctl", error, "the main run loop cannot wait for the main queue.")
    }
  }

  /// What a look or a sleep has found, if it is a main queue.
  func noteMainQueue(_ event: LoopSleeper.Event, _ mode: LoopMode) {
    switch event.token {
    case MainQueueInput.toolchainToken: mainQueueInput.toolchainHasWork = true
    case MainQueueInput.ownToken:
      mainQueueInput.isUnread = true
      if servesMainQueue(mode) && MainQueueDrain.shared.isInvited {
        mainQueueInput.ownHasWork = true
      }
    default: break
    }
  }

  /// Whether there is work that a look or a sleep was told of.
  func mainQueueIsNoted(_ mode: LoopMode) -> Bool {
    isMain
      && (mainQueueInput.toolchainHasWork || mainQueueInput.ownHasWork || mainQueueHasWork(mode))
  }

  /// Step 9: runs what waits on the main queues.
  ///
  /// - Returns: whether something did.
  func serveMainQueue(_ mode: LoopMode) -> Bool {
    guard isMain else { return false }
    let mustServeToolchain = mainQueueInput.toolchainHasWork
    let mustServe = mainQueueInput.ownHasWork || mainQueueHasWork(mode)
    mainQueueInput.ownHasWork = false
    guard mustServeToolchain || mustServe else { return false }
    tell(.mainQueue, mode)
    mainQueueInput.toolchainHasWork = false
    if mustServeToolchain { MainQueueDrain.shared.drainToolchain() }
    if mustServe {
      mainQueueInput.isUnread = true
      _ = MainQueueDrain.shared.serve()
    }
    return true
  }

  /// The outermost run has ended: what it has served makes no host drain in vain.
  func leaveMainQueue() {
    guard isMain, mainQueueInput.isUnread else { return }
    mainQueueInput.isUnread = false
    MainQueueDrain.shared.acknowledge()
  }
}
