// DispatchQueue+Serving — what the owner of a queue does: it goes through the
// list from the front.
//
// An item that must run alone runs while the queue is held. One that may run
// beside others runs on a share: the owner first lets go of the queue and, if
// more is in the list, enlists it again, so that another worker can go on.
// A thread that waits in `sync` is handed the queue, or a share, and runs its
// work itself.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// Sends the invitation. Whoever does has just set `enlisted`.
  final func enlist() { enlist(at: currentLevel()) }

  final func enlist(at urgency: Urgency) {
    if shape == .main { return MainQueueDrain.shared.wake() }
    _ = Unmanaged.passRetained(self)  // SAFETY: the invitation's function takes the reference over.
    if let target {
      target.push(invitation.pointer, urgency)
    } else {
      Engine.current.pool(for: urgency).submit(invitation.pointer, at: urgency)
    }
  }

  /// How urgently what is left is to be served.
  private func currentLevel() -> Urgency {
    max(level.takeRaised(), level.loweredTo().or(rest))
  }

  /// Sends the invitation while this thread is about to run an item: another
  /// worker may come and help, if the items are worth it.
  private func enlistHelp() {
    if target != nil || shape == .main { return enlist() }
    _ = Unmanaged.passRetained(self)  // SAFETY: as in `enlist`.
    let urgency = currentLevel()
    Engine.current.pool(for: urgency).submitSpare(invitation.pointer, at: urgency)
  }

  /// The owner leaves so that others get their turn: the invitation goes behind
  /// them.
  private func giveWay() -> Bool {
    guard state.leavePending() == .enlist else { return false }
    if target != nil || shape == .main {
      enlist()
    } else {
      _ = Unmanaged.passRetained(self)  // SAFETY: as in `enlist`.
      let urgency = currentLevel()
      Engine.current.pool(for: urgency).submitShared(invitation.pointer, at: urgency)
    }
    return false
  }

  /// The owner is of too low a kernel priority for `item`: others are to run it.
  private func rise(for item: ItemPointer) -> Bool {
    level.raise(to: max(base, item.pointee.flags.urgency).or(.standard))
    return giveWay()
  }

  /// Appends an item; the caller keeps a reference to the queue meanwhile.
  @inline(__always)
  final func push(_ item: ItemPointer) { push(item, item.pointee.flags.urgency) }

  /// Appends an item that is as urgent as `asked`.
  @inline(__always)
  final func push(_ item: ItemPointer, _ asked: Urgency) {
    if asked.isSpecified, shape == .global, let other = globalQueue(for: asked) {
      return other.push(item, .unspecified)
    }
    Probe.itemSubmitted(item, to: address)
    if list.append(item) && state.announce() == .enlist {
      enlist(for: item, asked)
    } else {
      raise(to: asked)
    }
  }

  /// The invitation has arrived on this thread.
  final func serveInvited() {
    let thread = csb_thread_number()
    guard state.takeInvited(thread, own: true) else { return }
    serveTaken(thread)
  }

  /// This thread, which is the owner, goes through the list.
  final func serveTaken(_ thread: UInt32) {
    QueueFrame.with(self) {
      Probe.drainBegan(address)
      Urgency.keeping { _ = serve(thread, for: .running) }
      Probe.drainEnded(address)
    }
  }

  /// What an owner is there for.
  enum Purpose {
    /// To run what it finds.
    case running
    /// To hand the queue on: after its own `sync`.
    case handingOn
    /// To run what is there up to a given item: the main thread.
    case runningUpTo(ItemPointer)
    /// To come to its own place in the list, running what must end before.
    case reaching(ItemPointer)
  }

  /// Goes through the list. The thread owns the queue; when this returns it
  /// does not, unless it was to reach its place and has.
  ///
  /// - Returns: whether it has reached its place.
  @discardableResult
  final func serve(_ thread: UInt32, for purpose: Purpose) -> Bool {
    var turn = Turn()
    var upcoming: ItemPointer?
    while true {
      guard let item = upcoming ?? list.first() else {
        if case .running = purpose, turn.isStream, linger() { continue }
        if state.finish() { return false }
        continue
      }
      upcoming = nil
      let now = state.ownersSnapshot
      if now.isHalted { return leave() }
      if case .reaching(item) = purpose { return true }
      if isSerial || (item.pointee.flags.contains(.barrier) && shape == .concurrent) {
        // While the queue is owned, shares only become fewer.
        if now.hasShared {
          if state.leaveGated() { return false }
          continue
        }
        if item.pointee.flags.contains(.waiter) { return grant(item) }
        if case .handingOn = purpose { return leave() }
        if turn.isTooLow(for: item, on: self) { return rise(for: item) }
        upcoming = list.removeFirst(item)
        turn.runs &+= 1
        run(item)
        switch purpose {
        case .runningUpTo(item): return list.first() == nil && state.finish() ? false : leave()
        case .running where turn.isOver(on: self): return giveWay()
        default: break
        }
      } else {
        if now.sharedIsFull { trapFull() }
        if item.pointee.flags.contains(.waiter) {
          list.removeFirst(item)
          state.grantShared()
          SyncWaiter.wake(item)
          continue
        }
        guard case .running = purpose else { return leave() }
        if turn.isTooLow(for: item, on: self) { return rise(for: item) }
        let more = list.removeFirst(item) != nil
        if state.becomeShared(more: more) == .enlist { enlistHelp() }
        run(item)
        turn.worker?.noteProgress()
        guard state.leaveShared(thread) else { return false }
        if turn.isOver(on: self) { return giveWay() }
      }
    }
  }

  /// A thread that waits in `sync` owns the queue and serves those before it.
  /// It runs only what must have ended before its own turn; what may run beside
  /// it is left to the pool.
  ///
  /// - Returns: whether its turn has come: it holds the queue, or a share. If
  ///   not, another thread will grant it.
  final func serve(_ thread: UInt32, reaching item: ItemPointer, alone: Bool) -> Bool {
    // The nodes of items that this thread frees are its own from now on.
    ThreadEnd.arrange()
    let hasReached = QueueFrame.withOnly(self) {
      Urgency.keeping { serve(thread, for: .reaching(item)) }
    }
    guard hasReached else { return false }
    if !alone && state.ownersSnapshot.sharedIsFull { trapFull() }
    if alone && state.ownersSnapshot.hasShared {
      // Those who share will serve it, or have just ended.
      return state.leaveGated() ? false : serve(thread, reaching: item, alone: true)
    }
    let more = list.removeFirst(item) != nil
    if alone {
      if more { state.grant(to: thread, more: true) }
    } else if state.shareInstead(more: more) {
      serve(thread, for: .handingOn)
    }
    return true
  }

  /// Whether this thread, about to wait in `sync`, may run the items before it.
  /// The main thread may not: an item that was submitted to run in the
  /// background must not find itself there.
  final var mayServeWaiting: Bool {
    !state.ownersSnapshot.isInactive && target == nil && csb_thread_is_main() == 0
  }

  private func trapFull() -> Never {
    clientBug(
      "more than 16383 items and syncs run at once on the queue \(quotedLabel), or one sync is "
        + "nested so deep: limit them with a semaphore.")
  }

  /// Looks a moment longer, for the producer that is about to submit the next
  /// item: letting go of the queue and being invited again costs both sides
  /// several times as much.
  private func linger() -> Bool {
    for _ in 0..<DispatchQueue.lingerLimit {
      if list.first() != nil { return true }
      csb_spin_hint()
    }
    return false
  }

  private static var lingerLimit: Int { 16 }

  @inline(__always)
  private func run(_ item: ItemPointer) {
    Probe.itemStarted(item, on: address)
    Urgency.ofThisThread = urgencyWhileRunning(item.pointee.flags)
    item.pointee.function(UnsafeMutableRawPointer(item))
    Probe.itemFinished(item, on: address)
  }

  /// The owner leaves; the list may hold items.
  private func leave() -> Bool {
    if state.leavePending() == .enlist { enlist() }
    return false
  }

  /// The owner hands the queue to the thread that waits at its front.
  private func grant(_ item: ItemPointer) -> Bool {
    let more = list.removeFirst(item) != nil
    let thread = SyncWaiter.thread(of: item)
    state.grant(to: thread, more: more)
    SyncWaiter.wake(item)
    return false
  }
}

/// How long one drainer may stay with one queue while other runnables wait.
private struct Turn {
  /// The worker that this thread is, if it is one.
  let worker = Worker.ofThisThread
  private let pool: Pool
  private var began: UInt64 = 0
  /// How many items were run.
  var runs = 0

  init() {
    // Others wait for a worker of the same tier.
    pool = worker?.pointee.pool._withUnsafeGuaranteedRef { $0 } ?? Engine.current.pool
  }

  /// Whether so many came in a row that another is likely to follow at once.
  var isStream: Bool { runs >= 8 }

  /// Whether this is a worker of lower kernel priority than `item` wants.
  @inline(__always)
  func isTooLow(for item: ItemPointer, on queue: DispatchQueue) -> Bool {
    guard let worker, worker.isLow else { return false }
    let wanted = max(queue.base, item.pointee.flags.urgency).or(.standard)
    return Tier(of: wanted) > worker.pointee.tier
  }

  /// Whether others should get their turn now: one tick of the coarse clock
  /// (some milliseconds) after it was first seen that others wait, for the
  /// thread or for the target of `queue`.
  @inline(__always)
  mutating func isOver(on queue: DispatchQueue) -> Bool {
    if worker?.isLow == true && queue.level.isRaised() { return true }
    if !pool.hasPending && worker?.hasFilledSlot != true
      && queue.target?.list.isEmpty() != false
    {
      began = 0
      return false
    }
    return hasLasted()
  }

  @inline(never)
  private mutating func hasLasted() -> Bool {
    let now = Clock.coarseUptime
    if began == 0 { began = now }
    return now != began
  }
}
