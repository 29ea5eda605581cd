// DispatchQueue+Urgency — how urgent an item is, and how that affects its queue.
//
// An item has the urgency that its caller specified, or else its queue's. If the queue specifies
// none either, the item has the urgency of the thread that submits it. A queue is drained at the
// urgency of its most urgent item.

import SignalboxRuntime

extension DispatchQueue {
  /// The urgency of items that specify none.
  @inline(__always)
  final var baseLevel: Urgency { base.or(.standard) }

  // MARK: Marking

  /// The flags of an item that is submitted here with `qos` and `flags`: its urgency, and whether
  /// it is a barrier.
  @inline(__always)
  final func marks(_ qos: DispatchQoS, _ flags: DispatchWorkItemFlags) -> Item.Flags {
    guard qos.qosClass == .unspecified && flags.isEmpty else { return ownMarks(qos, flags) }
    return base.isSpecified ? [] : Item.Flags(Urgency.propagated)
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
    return base.isSpecified || flags.contains(.detached) ? .unspecified : Urgency.propagated
  }

  /// The urgency of the thread while it runs an item with these marks: the queue's urgency, if the
  /// queue has one and the item does not enforce its own.
  @inline(__always)
  final func urgencyWhileRunning(_ marks: Item.Flags) -> Urgency {
    let own = marks.urgency
    if !own.isSpecified { return baseLevel }
    if !base.isSpecified { return own }
    return marks.contains(.enforced) ? max(own, base) : base
  }

  /// The global queue of the class that an item asks for, if that is not this queue. Global queues
  /// differ only in their class.
  final func globalQueue(for asked: Urgency) -> DispatchQueue? {
    guard let band = asked.band, asked > baseLevel || !base.isSpecified else { return nil }
    let other = DispatchQueue.global(qos: DispatchQoS.QoSClass(band))
    return other === self ? nil : other
  }

  // MARK: Waiters

  /// The urgency of a thread that waits in `sync`, if it is above the queue's.
  final func urgencyOfWaiter() -> Urgency? {
    let own = Urgency.ofThisThread.or(.standard)
    return own > level.floor(baseLevel) ? own : nil
  }

  /// The marks of an item that has `marks` and for whose end this thread waits. If the queue has a
  /// class, the item still runs at that class, but is pending at the thread's. An item that
  /// enforces its own urgency keeps it, because with the thread's it would also run at the
  /// thread's. Without a class, the item's urgency is the one at which it runs.
  final func hurrying(_ marks: Item.Flags) -> Item.Flags {
    guard base.isSpecified, !marks.contains(.enforced), let own = urgencyOfWaiter(),
      own > marks.urgency
    else { return marks }
    return marks.subtracting(.urgencies).union(Item.Flags(own))
  }

  /// Makes the queue hurry for this thread, which has entered its list, raised its level and is
  /// about to sleep. If the thread is more urgent than the queue, sends an urgent drain task. If a
  /// worker of a lower tier owns the queue, also raises that worker's priority until the end of its
  /// current runnable, provided that this thread's tier is normal and the process has the right.
  final func hurry(isMoreUrgent: Bool) {
    if isMoreUrgent { scheduleUrgently() }
    let owner = state.snapshot.owner
    if owner != 0 && Tier(of: Urgency.ofThisThread.or(.standard)) == .normal {
      Engine.current.boost(owner)
    }
  }
}
