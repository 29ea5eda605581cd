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
  final func enlist() { enlist(at: level.current(rest)) }

  final func enlist(at urgency: Urgency) {
    if shape == .main { return MainQueueDrain.shared.wake() }
    if let target {
      target.push(ownInvitation(at: urgency))
    } else {
      Engine.current.pool(for: urgency).submit(ownInvitation(at: urgency), at: urgency)
    }
  }

  /// Its own invitation, made ready to be sent. `enlisted` says that it stands
  /// nowhere else.
  private func ownInvitation(at urgency: Urgency) -> ItemPointer {
    _ = Unmanaged.passRetained(self)  // SAFETY: the invitation's function takes the reference over.
    let item = invitation.pointer
    item.pointee.flags = Item.Flags(urgency).union(.invitation).union(.ofQueue)
    return item
  }

  /// Sends the invitation while this thread is about to run an item: another
  /// worker may come and help, if the items are worth it.
  final func enlistHelp() {
    if target != nil || shape == .main { return enlist() }
    let urgency = level.current(rest)
    Engine.current.pool(for: urgency).submitSpare(ownInvitation(at: urgency), at: urgency)
  }

  /// The owner leaves so that others get their turn: the invitation goes behind
  /// them, or to those of another tier.
  final func giveWay() -> Bool {
    guard state.leavePending() == .enlist else { return false }
    if target != nil || shape == .main {
      enlist()
    } else {
      let urgency = level.current(rest)
      Engine.current.pool(for: urgency).submitShared(ownInvitation(at: urgency), at: urgency)
    }
    return false
  }

  /// Appends an item; the caller keeps a reference to the queue meanwhile.
  @inline(__always)
  final func push(_ item: ItemPointer) {
    let asked = item.pointee.flags.urgency
    if asked.isSpecified, shape == .global, let other = globalQueue(for: asked) {
      item.pointee.flags.remove(.urgencies)
      return other.push(item)
    }
    if Probe.itemSubmitted(item, to: address) { checkFork() }
    let wanted = max(base, asked).or(.standard)
    if wanted > level.floor(rest) { return pushUrgent(item, at: wanted) }
    if list.append(item) && state.announce() == .enlist {
      enlist(for: item, at: wanted)
    } else if wanted == rest && level.isLowered() {
      takeBackLowering()
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
    if shape == .workloop { return serveInOrder(thread, for: purpose) }
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
        if case .running = purpose, turn.isOfAnotherTier(than: self) { return giveWay() }
        upcoming = removeFirst(item)
        turn.runs &+= 1
        if run(item) {
          // The rest of the list stayed with the parent, one's own place too.
          if case .reaching = purpose { return true }
          upcoming = nil
        }
        switch purpose {
        case .runningUpTo where MainQueueDrain.shared.mustLeaveAfterItem(): return leave()
        case .runningUpTo(item): return list.first() == nil && state.finish() ? false : leave()
        case .running where turn.isOver(on: self): return giveWay()
        default: break
        }
      } else {
        if now.sharedIsFull { trapFull() }
        if item.pointee.flags.contains(.waiter) {
          removeFirst(item)
          state.grantShared()
          SyncWaiter.wake(item)
          continue
        }
        guard case .running = purpose else { return leave() }
        if turn.isOfAnotherTier(than: self) { return giveWay() }
        let more = removeFirst(item) != nil
        if state.becomeShared(more: more) == .enlist { enlistHelp() }
        _ = run(item)
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
    if !hasReached || shape == .workloop { return hasReached }
    if !alone && state.ownersSnapshot.sharedIsFull { trapFull() }
    if alone && state.ownersSnapshot.hasShared {
      // Those who share will serve it, or have just ended.
      return state.leaveGated() ? false : serve(thread, reaching: item, alone: true)
    }
    // Unless an item before it has forked: then the child's list has been emptied.
    let more = list.first() == item ? removeFirst(item) != nil : !list.isEmpty()
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
      "more than 16383 items, tasks and syncs run at once on the queue \(quotedLabel), or one sync is "
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

  /// - Returns: whether the item has forked the process, and this is the child.
  @inline(__always)
  final func run(_ item: ItemPointer) -> Bool {
    Urgency.ofThisThread = urgencyWhileRunning(item.pointee.flags)
    Probe.itemStarted(item, on: address)
    item.pointee.function(UnsafeMutableRawPointer(item))
    return Probe.itemFinished(item, on: address)
  }

  /// The owner leaves; the list may hold items.
  final func leave() -> Bool {
    if state.leavePending() == .enlist { enlist() }
    return false
  }

  /// The owner hands the queue to the thread that waits at its front.
  private func grant(_ item: ItemPointer) -> Bool {
    let more = removeFirst(item) != nil
    let thread = SyncWaiter.thread(of: item)
    state.grant(to: thread, more: more)
    SyncWaiter.wake(item)
    return false
  }
}

/// How long one drainer may stay with one queue while other runnables wait.
struct Turn {
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

  /// Whether this is a worker of another tier than the one that is to serve
  /// `queue`. One with a target is never served lower than that is: the target is
  /// asked.
  ///
  /// On a usual queue it is looked up now and then only: the level stands on a cache
  /// line that producers write.
  @inline(__always)
  func isOfAnotherTier(than queue: DispatchQueue) -> Bool {
    guard let worker else { return false }
    if worker.pointee.tier == .normal {
      if queue.base >= .standard || queue.target != nil { return false }
      if !queue.base.isSpecified && runs & 15 != 15 { return false }
    }
    let tier = Tier(of: queue.level.current(queue.rest))
    return queue.target == nil ? tier != worker.pointee.tier : tier > worker.pointee.tier
  }

  /// Whether others should get their turn now: one tick of the coarse clock
  /// (some milliseconds) after it was first seen that others wait, for the
  /// thread or for the target of `queue`.
  @inline(__always)
  mutating func isOver(on queue: DispatchQueue) -> Bool {
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
