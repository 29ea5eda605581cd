// CFRunLoop+MainQueue — the main loop drains the main queue in the common modes, and the
// toolchain's main queue with it.
//
// While a common mode runs, the loop's epoll set holds a descriptor for each. Our own queue's
// descriptor is edge-triggered: the set reports it once per write, and the loop does not read
// it. The queue's state word says whether there is work, and a sleep that ends without work
// continues. The loop reads the descriptor when the outermost run ends, so that another loop that
// then hosts the queue does not wake for work that is already done. The toolchain's descriptor is
// level-triggered, and draining the toolchain's queue reads it.
//
// No work is lost. A submitter first announces work in the queue's word, then writes to the
// descriptor. A loop that finds the word empty is woken by the descriptor, and then looks at
// the word again.
//
// A loop that runs inside an item of the main queue does not drain the main queue. Work that
// arrives then is announced again when the item ends. Such a loop still drains the toolchain's
// queue.
//
// Touching    everything: the main thread.

import SignalboxDispatch
import SignalboxRuntime

/// The main loop's view of the main queues.
struct MainQueueInput {
  /// How a descriptor is registered in the loop's set.
  fileprivate enum Standing { case absent, silent, told }

  fileprivate var standing = Standing.absent
  fileprivate var toolchainStanding = Standing.absent
  /// Whether to leave the toolchain's main queue to a host that already drains it.
  var leavesToolchain = false
  /// The coarse-clock time of the last poll that was made although another input was ready.
  fileprivate var lastLook: UInt64 = 0
  /// Whether a poll or a sleep found work on the toolchain's main queue, and on ours.
  fileprivate var toolchainHasWork = false
  fileprivate var ownHasWork = false
  /// Whether a thread may have written to our own descriptor since it was last read.
  fileprivate var isUnread = false

  static var ownToken: UInt64 { DescriptorSleeper.firstToken }
  /// Greater than any token that a port gets.
  static var toolchainToken: UInt64 { .max }
}

extension CFRunLoop {
  /// Whether the loop waits for the main queue in this mode. If so, the mode is never without work.
  func servesMainQueue(_ mode: LoopMode) -> Bool {
    isMain && mode.isCommon && !MainQueueDrain.shared.isWithinItem
  }

  /// Step 5: whether work waits on the main queue. Makes no system call.
  func mainQueueHasWork(_ mode: LoopMode) -> Bool {
    isMain && mode.isCommon && MainQueueDrain.shared.hasWork && servesMainQueue(mode)
  }

  /// Whether the loop must poll the toolchain's main queue, because no sleep follows that would
  /// report its work. If there is no sleep because another input is ready, one poll per tick of the
  /// coarse clock is enough.
  func mainQueueNeedsLook(_ mode: LoopMode, sleepsElse: Bool, _ isReady: Bool) -> Bool {
    guard !sleepsElse || isReady, isMain, mode.isCommon, !mainQueueInput.leavesToolchain,
      MainQueueDrain.shared.toolchainDescriptor >= 0
    else { return false }
    if !sleepsElse { return true }
    let now = Clock.coarseUptime
    defer { mainQueueInput.lastLook = now }
    return mainQueueInput.lastLook != now
  }

  /// Registers the main queues with the loop's set, or mutes them, as this mode requires.
  ///
  /// - Parameter isNew: whether the set is empty.
  func fitMainQueue(into sleeper: LoopSleeper, _ mode: LoopMode, isNew: Bool) {
    guard isMain else { return }
    if isNew {
      mainQueueInput.standing = .absent
      mainQueueInput.toolchainStanding = .absent
    }
    // A loop that never runs in a common mode creates no descriptors for the main queue.
    let isIn = mainQueueInput.standing != .absent || mainQueueInput.toolchainStanding != .absent
    guard mode.isCommon || isIn else { return }
    let drain = MainQueueDrain.shared
    fit(
      drain.ownDescriptor, MainQueueInput.ownToken, DescriptorSleeper.readableOnce, into: sleeper,
      &mainQueueInput.standing, isTold: mode.isCommon)
    // A forked child does not watch the toolchain's queue: libdispatch does not work there.
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

  /// Records an event that a poll or a sleep has found, if it belongs to a main queue.
  func noteMainQueue(_ event: LoopSleeper.Event, _ mode: LoopMode) {
    switch event.token {
    case MainQueueInput.toolchainToken: mainQueueInput.toolchainHasWork = true
    case MainQueueInput.ownToken:
      mainQueueInput.isUnread = true
      if servesMainQueue(mode) && MainQueueDrain.shared.isScheduled {
        mainQueueInput.ownHasWork = true
      }
    default: break
    }
  }

  /// Whether a poll or a sleep has reported work.
  func mainQueueIsNoted(_ mode: LoopMode) -> Bool {
    isMain
      && (mainQueueInput.toolchainHasWork || mainQueueInput.ownHasWork || mainQueueHasWork(mode))
  }

  /// Step 9: drains the main queues.
  ///
  /// - Returns: whether there was work.
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
      _ = MainQueueDrain.shared.drainWaiting()
    }
    return true
  }

  /// Ends the outermost run: reads our descriptor, so that no host drains for work that is
  /// already done.
  func leaveMainQueue() {
    guard isMain, mainQueueInput.isUnread else { return }
    mainQueueInput.isUnread = false
    MainQueueDrain.shared.acknowledge()
  }
}
