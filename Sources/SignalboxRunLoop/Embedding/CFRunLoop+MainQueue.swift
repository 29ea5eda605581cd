// CFRunLoop+MainQueue — the main loop serves the main queue, in the common modes, and the
// toolchain's main queue with it.
//
// Both have a descriptor in the loop's set while a common mode runs. That of our own queue
// is told once for each write and never read: whether there is work the queue itself
// says, and a sleep that was ended without any goes on. The toolchain's is told as long as it is
// readable, and its drain reads it.
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
  /// Whether a look or a sleep has told of work of the toolchain's main queue, and of ours.
  fileprivate var toolchainHasWork = false
  fileprivate var ownHasWork = false

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

  /// Whether only a look can tell if the toolchain's main queue has work: where a sleep
  /// follows that does.
  func mainQueueNeedsLook(_ mode: LoopMode, sleepsElse: Bool) -> Bool {
    !sleepsElse && isMain && mode.isCommon && MainQueueDrain.shared.toolchainDescriptor >= 0
  }

  /// Has the loop's set tell of the main queues, if it is to in this mode.
  ///
  /// - Parameter isNew: whether nothing is in the set.
  func fitMainQueue(into sleeper: LoopSleeper, _ mode: LoopMode, isNew: Bool) {
    guard isMain else { return }
    if isNew { mainQueueInput.standing = .absent }
    let wanted: MainQueueInput.Standing = mode.isCommon ? .told : .silent
    let now = mainQueueInput.standing
    if now == wanted || now == .absent && wanted == .silent { return }
    let drain = MainQueueDrain.shared
    drain.noteDriven()
    let isTold = wanted == .told
    put(
      drain.ownDescriptor, MainQueueInput.ownToken,
      isTold ? DescriptorSleeper.readableOnce : 0, into: sleeper, isNew: now == .absent)
    // A forked child has no use for the toolchain's: its libdispatch does not work in one.
    if drain.toolchainDescriptor >= 0 && !ForkProtocol.hasHappened {
      put(
        drain.toolchainDescriptor, MainQueueInput.toolchainToken,
        isTold ? DescriptorSleeper.readable : 0, into: sleeper, isNew: now == .absent)
    }
    mainQueueInput.standing = wanted
  }

  private func put(
    _ descriptor: Int32, _ token: UInt64, _ bits: UInt32, into sleeper: LoopSleeper, isNew: Bool
  ) {
    let error =
      isNew
      ? sleeper.sleeper.add(descriptor, token: token, bits: bits)
      : sleeper.sleeper.change(descriptor, token: token, bits: bits)
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
    if mustServe { _ = MainQueueDrain.shared.serve() }
    return true
  }
}
