// DispatchQueue+Enqueue — how an item enters a queue and how the queue gets a thread: route,
// enqueue, wake.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// Appends an item. The caller keeps a reference to the queue during the call.
  @inline(__always)
  final func push(_ item: ItemPointer) {
    let asked = item.pointee.flags.urgency
    if asked.isSpecified, shape == .global, let other = globalQueue(for: asked) {
      item.pointee.flags.remove(.urgencies)
      return other.push(item)
    }
    if Fork.hasHappened { checkFork() }
    Probe.itemSubmitted(item, to: address)
    let wanted = max(base, asked).or(.standard)
    if wanted > level.floor(rest) { return pushUrgent(item, at: wanted) }
    if list.append(item) && state.announce() == .enlist {
      enlist(for: item, at: wanted)
    } else if wanted == rest && level.isLowered() {
      takeBackLowering()
    }
  }

  // MARK: Wake

  /// Sends the queue's invitation. The caller has just set `enlisted`.
  final func enlist() { enlist(at: level.current(rest)) }

  final func enlist(at urgency: Urgency) {
    if shape == .main { return MainQueueDrain.shared.wake() }
    if let target {
      target.push(ownInvitation(at: urgency))
    } else {
      Engine.current.pool(for: urgency).submit(ownInvitation(at: urgency), at: urgency)
    }
  }

  /// The queue's own invitation, ready to be sent. `enlisted` guarantees that no list holds it.
  private func ownInvitation(at urgency: Urgency) -> ItemPointer {
    _ = Unmanaged.passRetained(self)  // SAFETY: the invitation's function takes the reference over.
    let item = invitation.pointer
    item.pointee.flags = Item.Flags(urgency).union(.invitation).union(.ofQueue)
    return item
  }

  /// Sends the invitation while this thread is about to run an item. Another worker may then
  /// help, if the items are worth it.
  final func enlistHelp() {
    if target != nil || shape == .main { return enlist() }
    let urgency = level.current(rest)
    Engine.current.pool(for: urgency).submitSpare(ownInvitation(at: urgency), at: urgency)
  }

  /// The owner yields to other queues: its invitation goes behind theirs, or to the pool of
  /// another tier.
  final func giveWay() {
    guard state.leavePending() == .enlist else { return }
    if target != nil || shape == .main { return enlist() }
    let urgency = level.current(rest)
    Engine.current.pool(for: urgency).submitShared(ownInvitation(at: urgency), at: urgency)
  }

  /// The owner leaves the queue. The list may hold items.
  final func leave() {
    if state.leavePending() == .enlist { enlist() }
  }
}
