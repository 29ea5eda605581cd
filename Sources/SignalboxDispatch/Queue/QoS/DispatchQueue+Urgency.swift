// DispatchQueue+Urgency — how urgent an item is, and how that affects its queue.
//
// An item has the urgency that its caller specified. If its queue specifies none either, it has
// that of the thread that submits it. A queue is served at the urgency of its most urgent item.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// The urgency of items that specify none.
  @inline(__always)
  final var rest: Urgency { base.or(.standard) }

  // MARK: Marking

  /// The marks of an item that is submitted here with `qos` and `flags`.
  @inline(__always)
  final func marks(_ qos: DispatchQoS, _ flags: DispatchWorkItemFlags) -> Item.Flags {
    guard qos.qosClass == .unspecified && flags.isEmpty else { return ownMarks(qos, flags) }
    return base.isSpecified ? [] : Item.Flags(Urgency.handedOn)
  }

  @inline(never)
  private func ownMarks(_ qos: DispatchQoS, _ flags: DispatchWorkItemFlags) -> Item.Flags {
    flags.checkKnown()
    var marks = flags.itemFlags
    marks.formUnion(Item.Flags(ownUrgency(qos, flags)))
    if flags.contains(.enforceQoS) { marks.formUnion(.enforced) }
    return marks
  }

  private func ownUrgency(_ qos: DispatchQoS, _ flags: DispatchWorkItemFlags) -> Urgency {
    if flags.contains(.noQoS) { return .unspecified }
    if qos.urgency.isSpecified { return qos.urgency }
    return base.isSpecified || flags.contains(.detached) ? .unspecified : Urgency.handedOn
  }

  /// The urgency of the thread while it runs an item with these marks: the queue's, if it has one
  /// and the item does not enforce its own.
  @inline(__always)
  final func urgencyWhileRunning(_ marks: Item.Flags) -> Urgency {
    let own = marks.urgency
    if !own.isSpecified { return rest }
    if !base.isSpecified { return own }
    return marks.contains(.enforced) ? max(own, base) : base
  }

  /// The global queue of the class that an item asks for, if that is another one. Global queues
  /// differ in nothing else.
  final func globalQueue(for asked: Urgency) -> DispatchQueue? {
    guard let band = asked.band, asked > rest || !base.isSpecified else { return nil }
    let other = DispatchQueue.global(qos: DispatchQoS.QoSClass(band))
    return other === self ? nil : other
  }

  // MARK: Moving

  @inline(never)
  final func pushUrgent(_ item: ItemPointer, at urgency: Urgency) {
    item.pointee.flags.insert(.urgent)
    level.addUrgent(urgency)
    if list.append(item) && state.announce() == .enlist {
      enlist(at: level.current(rest))
    } else {
      inviteUrgently()
    }
  }

  @inline(__always) @discardableResult
  final func removeFirst(_ item: ItemPointer) -> ItemPointer? {
    if item.pointee.flags.contains(.urgent) { level.removeUrgent() }
    return list.removeFirst(item)
  }

  /// Invites a thread for a queue that has work and no owner. `item` announced the work; it may
  /// have run by now.
  @inline(__always)
  final func enlist(for item: ItemPointer, at wanted: Urgency) {
    if wanted >= rest && !level.isLowered() { return enlist(at: wanted) }
    enlistUnusually(for: item, at: wanted)
  }

  @inline(never)
  private func enlistUnusually(for item: ItemPointer, at wanted: Urgency) {
    if wanted < rest {
      level.lower(to: wanted)
      // Other items may have come, or `item` may be gone already.
      if !list.holdsOnly(item) { level.forgetLowered() }
    } else {
      level.forgetLowered()
    }
    enlist(at: level.current(rest))
  }

  /// Restores the level of a lowered queue, because an item of usual urgency has come.
  @inline(never)
  final func takeBackLowering() {
    level.forgetLowered()
    inviteUrgently()
  }

  /// Sends a further invitation for an urgent item, because the pending one waits in a less
  /// urgent run queue. An owner, and a thread that resumes the queue, check the level themselves.
  private func inviteUrgently() {
    let now = state.strictSnapshot
    if now.isOwned || now.isHalted || shape == .main { return }
    let urgency = level.current(rest)
    guard level.invites(at: urgency) else { return }
    let invitation = UrgentInvitation.make(for: self, at: urgency)
    if let target {
      target.push(invitation)
    } else {
      Engine.current.pool(for: urgency).submitShared(invitation, at: urgency)
    }
  }

  /// Drains the queue, because an urgent invitation has arrived on this thread.
  final func drainUrgently() {
    level.hasArrived()
    let thread = csb_thread_number()
    if state.takeInvited(thread, own: false) { drainTaken(thread) }
  }

  // MARK: Waiters

  /// The urgency of a thread that waits in `sync`, if it is above the queue's.
  final func urgencyOfWaiter() -> Urgency? {
    let own = Urgency.ofThisThread.or(.standard)
    return own > level.floor(rest) ? own : nil
  }

  /// Raises the urgency of a queue whose list this thread has entered, before the thread sleeps.
  /// If the thread is more urgent than the queue, the queue is served at its urgency. If a worker
  /// of a lower tier owns the queue, and the process has the right, the worker's priority is
  /// raised until it hands the queue on.
  final func hurry(_ urgency: Urgency?) {
    if urgency != nil { inviteUrgently() }
    let owner = state.snapshot.owner
    if owner != 0 && Tier(of: Urgency.ofThisThread.or(.standard)) == .normal {
      Engine.current.boost(owner)
    }
  }
}
