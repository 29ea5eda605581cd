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
    var marks = flags.itemFlags
    marks.formUnion(Item.Flags(ownUrgency(qos, flags)))
    if flags.contains(.enforceQoS) { marks.formUnion(.enforced) }
    return marks
  }

  private func ownUrgency(_ qos: DispatchQoS, _ flags: DispatchWorkItemFlags) -> Urgency {
    if flags.contains(.noQoS) { return .unspecified }
    if qos.urgency.isSpecified && !flags.contains(.inheritQoS) { return qos.urgency }
    if base.isSpecified { return .unspecified }
    return flags.contains(.detached) ? qos.urgency : Urgency.handedOn.or(qos.urgency)
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

  // MARK: Inviting

  /// The queue has work and nobody serves it: it was woken by `item`, which may
  /// have run by now.
  @inline(__always)
  final func enlist(for item: ItemPointer, _ asked: Urgency) {
    let wanted = max(base, asked).or(.standard)
    if wanted == rest && !level.loweredTo().isSpecified { return enlist(at: wanted) }
    enlistUnusually(for: item, wanted)
  }

  @inline(never)
  private func enlistUnusually(for item: ItemPointer, _ wanted: Urgency) {
    guard wanted < rest else {
      level.forgetLowered()
      return enlist(at: wanted)
    }
    level.lower(to: wanted)
    if list.holdsOnly(item) { return enlist(at: wanted) }
    // Others have come, or the item is gone already.
    level.forgetLowered()
    enlist(at: rest)
  }

  /// An item came to a queue that is being served, or is about to be: less
  /// urgently than it wants, perhaps.
  @inline(__always)
  final func raise(to asked: Urgency) {
    let lowered = level.loweredTo()
    if asked <= rest && !lowered.isSpecified { return }
    let wanted = max(base, asked).or(.standard)
    if wanted > lowered.or(rest) { inviteUrgently(at: wanted) }
  }

  /// Invites once more, for an urgent item's sake.
  @inline(never)
  private func inviteUrgently(at urgency: Urgency) {
    level.forgetLowered()
    if shape == .main { return }
    // Whoever holds it may be of low priority, or it may be halted.
    level.raise(to: urgency)
    if state.ownersSnapshot.isInactive { return }
    let invitation = UrgentInvitation.make(for: self, at: urgency)
    if let target {
      target.push(invitation)
    } else {
      Engine.current.pool(for: urgency).submitShared(invitation, at: urgency)
    }
  }

  /// An urgent invitation has arrived on this thread.
  final func serveUrgently(_ urgency: Urgency) {
    let thread = csb_thread_number()
    while !state.takeInvited(thread, own: false) {
      level.raise(to: urgency)
      let now = state.strictSnapshot
      if now.isOwned || now.isHalted || !now.isPending { return }
    }
    _ = level.takeRaised()
    serveTaken(thread)
  }

  /// This thread is about to wait in `sync`: a drainer of low priority is to let
  /// others come before it goes on, and runs at a higher one until then where the
  /// process may do that.
  final func raiseForWaiter() {
    guard rest < .standard || level.loweredTo().isSpecified else { return }
    let urgency = Urgency.ofThisThread.or(.standard)
    guard urgency > level.loweredTo().or(rest) else { return }
    level.raise(to: urgency)
    let owner = state.snapshot.owner
    if owner != 0 { Engine.current.boost(owner) }
  }
}
