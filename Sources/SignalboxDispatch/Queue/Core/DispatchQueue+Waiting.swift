// DispatchQueue+Waiting — the queue as a resource that threads wait for.

package import SignalboxRuntime

extension DispatchQueue {
  /// The queue as a resource, for waits in `sync`.
  package final var resource: WaitResource {
    WaitResource(
      object: address,
      describe: { raw in
        // SAFETY: a thread that waits for the queue holds a reference to it.
        Unmanaged<DispatchQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          "the queue \($0.quotedLabel)"
        }
      },
      need: { raw, thread in
        // SAFETY: a thread that waits for the queue holds a reference to it.
        Unmanaged<DispatchQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.need(of: thread) }
      },
      place: { $0.place }, view: OutsideView("the queue", holder: .queue))
  }

  /// The thread that `thread`, which is in the queue's list, waits for.
  ///
  /// If the queue has no owner, its drain task waits behind the owner of its target. A halted queue
  /// needs no particular thread: any thread may resume it. If threads hold shares of the queue, the
  /// thread that returns the last share can hand the queue on.
  private func need(of thread: UInt32) -> WaitNeed {
    if shape == .main { return .thread(WaitRegistry.shared.mainThread) }
    let now = state.ownersSnapshot
    if now.isOwned {
      // If the thread is the owner itself, it was granted the queue and is about to be woken.
      return now.owner == thread ? .nobody : .thread(now.owner)
    }
    if now.isGated && now.hasShared {
      return .each(of: address) { queue, stack, _ in stack.holdsQueue(queue) ? .shares : nil }
    }
    return now.waitsForTarget ? ownerOfTargets : .nobody
  }

  /// The owner of the nearest owned target, if all queues in between wait for it.
  private var ownerOfTargets: WaitNeed {
    var next = target
    while let queue = next {
      if queue.shape == .main { return .thread(WaitRegistry.shared.mainThread) }
      let now = queue.state.ownersSnapshot
      if now.isOwned { return now.hasShared ? .nobody : .thread(now.owner) }
      guard now.waitsForTarget else { return .nobody }
      next = queue.target
    }
    return .nobody
  }
}

extension QueueState.Snapshot {
  /// Whether only the arrival of its drain task can get the queue drained.
  var waitsForTarget: Bool { isScheduled && !isOwned && !hasShared && !isHalted }
}
