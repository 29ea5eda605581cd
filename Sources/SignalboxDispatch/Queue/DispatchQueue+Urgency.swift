// DispatchQueue+Urgency — how urgent an item is, and how that moves its queue.
//
// An item is as urgent as it was said to be, or as the thread that submits it,
// where its queue says nothing. Its queue is served as urgently as the most
// urgent of its items wants.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// How urgent its items are if they say nothing.
  @inline(__always)
  final var rest: Urgency { base.or(.standard) }

  // MARK: Marking

  /// What an item submitted here with `qos` and `flags` is marked with.
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

  /// How urgent the thread is while it runs an item with these marks: as the queue
  /// says, if it says anything and the item does not insist.
  @inline(__always)
  final func urgencyWhileRunning(_ marks: Item.Flags) -> Urgency {
    let own = marks.urgency
    if !own.isSpecified { return rest }
    if !base.isSpecified { return own }
    return marks.contains(.enforced) ? max(own, base) : base
  }

  /// The global queue to which an item goes that asks for another class. Global
  /// queues differ in nothing else.
  final func globalQueue(for asked: Urgency) -> DispatchQueue? {
    guard let band = asked.band, asked > rest || !base.isSpecified else { return nil }
    let other = DispatchQueue.global(qos: DispatchQoS.QoSClass(band))
    return other === self ? nil : other
  }

  // MARK: Moving

  /// Appends an item that is more urgent than its queue.
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

  /// Takes out the first item.
  @inline(__always) @discardableResult
  final func removeFirst(_ item: ItemPointer) -> ItemPointer? {
    if item.pointee.flags.contains(.urgent) { level.removeUrgent() }
    return list.removeFirst(item)
  }

  /// The queue has work and nobody serves it: it was woken by `item`, which may
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
      // Others may have come, or the item may be gone already.
      if !list.holdsOnly(item) { level.forgetLowered() }
    } else {
      level.forgetLowered()
    }
    enlist(at: level.current(rest))
  }

  /// An item of usual urgency has come to a queue that was lowered meanwhile.
  @inline(never)
  final func takeBackLowering() {
    level.forgetLowered()
    inviteUrgently()
  }

  /// Invites once more, for an urgent item's sake: the invitation under way stands
  /// in a line of less urgent ones. An owner looks at the level by itself, and so
  /// does whoever resumes.
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

  /// An urgent invitation has arrived on this thread.
  final func drainUrgently() {
    level.hasArrived()
    let thread = csb_thread_number()
    if state.takeInvited(thread, own: false) { drainTaken(thread) }
  }

  // MARK: Waiters

  /// How urgent a thread that waits in `sync` is, if it is more urgent than the
  /// queue.
  final func urgencyOfWaiter() -> Urgency? {
    let own = Urgency.ofThisThread.or(.standard)
    return own > level.floor(rest) ? own : nil
  }

  /// This thread stands in the list and is about to sleep. Where it is more urgent than
  /// the queue, that is served for its sake; where a worker of a lower tier holds it
  /// and the process may do that, the worker's priority is raised until it gives
  /// the queue on.
  final func hurry(_ urgency: Urgency?) {
    if urgency != nil { inviteUrgently() }
    let owner = state.snapshot.owner
    if owner != 0 && Tier(of: Urgency.ofThisThread.or(.standard)) == .normal {
      Engine.current.boost(owner)
    }
  }
}
