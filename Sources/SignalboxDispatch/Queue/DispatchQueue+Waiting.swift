// DispatchQueue+Waiting — the queue as something that a thread waits for.

package import SignalboxRuntime

extension DispatchQueue {
  /// The queue as something to wait for in `sync`.
  package final var resource: WaitResource {
    WaitResource(
      object: address,
      describe: { raw in
        // SAFETY: whoever waits for the queue holds a reference to it.
        Unmanaged<DispatchQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          "the queue \($0.quotedLabel)"
        }
      },
      need: { raw, thread in
        // SAFETY: as above.
        Unmanaged<DispatchQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.need(of: thread) }
      },
      place: { $0.place })
  }

  /// Whom `thread`, which stands in the queue's list, needs.
  ///
  /// Where nobody owns the queue, its invitation stands behind whoever owns its
  /// target. A queue that is halted needs nobody in particular: anyone may resume
  /// it. One whose shares are held can be served by the thread that gives one up.
  private func need(of thread: UInt32) -> WaitNeed {
    if shape == .main { return .thread(WaitRegistry.shared.mainThread) }
    let now = state.ownersSnapshot
    if now.isOwned {
      // Its own: it was granted the queue, and is about to be told.
      return now.owner == thread ? .nobody : .thread(now.owner)
    }
    if now.isGated && now.hasShared {
      return .each(of: address) { queue, stack, _ in stack.holdsQueue(queue) ? .shares : nil }
    }
    return now.waitsForTarget ? ownerOfTargets : .nobody
  }

  /// The owner of the nearest target that is owned, if all between wait for it.
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
  /// Whether nothing but the arrival of its invitation can get the queue served.
  var waitsForTarget: Bool { isEnlisted && !isOwned && !hasShared && !isHalted }
}
