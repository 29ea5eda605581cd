// QueueState+Transitions — the only ways to change the word off the fast paths. Each returns what
// its caller must do next.

import SignalboxRuntime

extension QueueState {
  private typealias Bits = Snapshot

  /// What the thread that changed the word must do next.
  enum Duty { case none, schedule }

  // MARK: Producers

  /// Records that a producer appended to an empty list, so that some thread must look at it.
  borrowing func announce() -> Duty {
    let change = transition { old in
      let new = old.with(Bits.pendingBit)
      return new.canBeScheduled ? new.with(Bits.scheduledBit) : new
    }
    return duty(change)
  }

  /// Records that a waiting thread appended itself to an empty list. If the queue is free, the
  /// thread takes it at once.
  ///
  /// - Returns: whether `thread` took the queue in this step. If not, it may still own the queue:
  ///   an owner may have granted it before this announcement.
  borrowing func announceWaiter(_ thread: UInt32, alone: Bool) -> Bool {
    let (old, new) = transition { old in
      if old.isOwned || old.isHalted { return old.with(Bits.pendingBit) }
      if alone && old.hasShared { return old.with(Bits.pendingBit | Bits.gatedBit) }
      if old.isFull { return old.with(Bits.pendingBit) }
      return old.owned(by: thread).without(Bits.pendingBit | Bits.gatedBit)
    }
    return !old.isOwned && new!.owner == thread
  }

  /// Takes a queue without an owner for a thread that waits behind other items, so that the
  /// thread runs the items before its own.
  borrowing func takeWaiting(_ thread: UInt32) -> Bool {
    let (_, new) = transition { old in
      if old.isOwned || old.isHalted || old.waitsForShares { return nil }
      return old.owned(by: thread).without(Bits.pendingBit | Bits.gatedBit)
    }
    return new != nil
  }

  // MARK: Taking

  /// Whether the queue has a drain task that has not run yet. For a caller that was woken
  /// through a descriptor.
  borrowing func isScheduled() -> Bool {
    // A read-modify-write and not a load: the thread that wrote to the descriptor changed the
    // word first, but nothing guarantees that a load sees that change.
    // order: relaxed; the owner acquires when it takes the queue.
    Bits(word.bitwiseOr(0, ordering: .relaxed).oldValue).isScheduled
  }

  /// Records that a drain task has arrived on `thread`. Only the queue's own drain task clears
  /// `scheduled`.
  ///
  /// - Returns: whether `thread` became the owner in this step and must drain. If not, it may still
  ///   own the queue: a thread in `sync` that runs earlier items of a target's list can meet the
  ///   drain task of a queue that it holds.
  borrowing func takeScheduled(_ thread: UInt32, own: Bool) -> Bool {
    let (old, new) = transition { old in
      let arrived = own ? old.without(Bits.scheduledBit) : old
      if arrived.isOwned || arrived.isHalted { return arrived }
      return arrived.owned(by: thread).without(Bits.pendingBit | Bits.gatedBit)
    }
    return !old.isOwned && new!.owner == thread
  }

  /// Returns the share of an item that ran at the same time as others.
  ///
  /// - Returns: whether `thread` is now the owner, because items wait and the queue has no owner.
  @inline(__always)
  borrowing func leaveShared(_ thread: UInt32) -> Bool {
    let (_, new) = transition { old in
      let left = old.minusShared
      guard left.isPending, !left.isOwned, !left.isHalted, !left.waitsForShares
      else { return left }
      return left.owned(by: thread).without(Bits.pendingBit | Bits.gatedBit)
    }
    return new!.owner == thread
  }

  // MARK: Owners

  /// Lets the owner leave if the list looks empty.
  ///
  /// - Returns: whether the owner has left. If not, it must look again.
  borrowing func finish() -> Bool {
    let (_, new) = transition { old in
      old.isPending ? old.without(Bits.pendingBit) : old.unowned
    }
    return !new!.isOwned
  }

  /// Returns the queue to the main thread, which left the queue within an item and now continues
  /// that item. No other thread has taken the queue. A drain task that the main thread sent in
  /// between has no effect: if it arrives during the item, it finds the queue owned. The end of the
  /// item sends another one.
  borrowing func takeBack(_ thread: UInt32) {
    _ = transition { $0.owned(by: thread).without(Bits.scheduledBit) }
  }

  /// Lets the owner leave although the list holds items.
  borrowing func leavePending() -> Duty {
    let change = transition { old in
      let new = old.unowned.with(Bits.pendingBit)
      return new.canBeScheduled ? new.with(Bits.scheduledBit) : new
    }
    return duty(change)
  }

  /// Lets the owner leave if other items still run and the first one must run alone.
  ///
  /// - Returns: whether the owner has left. If not, the other items have ended.
  borrowing func leaveGated() -> Bool {
    let (_, new) = transition { old in
      old.hasShared ? old.unowned.with(Bits.pendingBit | Bits.gatedBit) : nil
    }
    return new != nil
  }

  /// Leaves a full queue whose first item needs a share.
  ///
  /// - Returns: whether the owner has left. If not, a share has just been given up.
  borrowing func leaveFull() -> Bool {
    let (_, new) = transition { old in
      old.isFull ? old.unowned.with(Bits.pendingBit) : nil
    }
    return new != nil
  }

  /// Turns the owner into the holder of a share, so that others can drain while it runs an item.
  @inline(__always)
  borrowing func becomeShared(more: Bool) -> Duty {
    let change = transition { old in
      var new = old.unowned.plusShared
      if more { new = new.with(Bits.pendingBit) }
      return new.isPending && new.canBeScheduled ? new.with(Bits.scheduledBit) : new
    }
    return duty(change)
  }

  /// Grants a share to a thread that waits for one. The owner calls it.
  borrowing func grantShared() { _ = transition { $0.plusShared } }

  /// Hands the queue from its owner to a thread that waits for it. `more` says whether the list
  /// holds items behind that thread.
  borrowing func grant(to thread: UInt32, more: Bool) {
    _ = transition { old in
      let new = old.owned(by: thread)
      return more ? new.with(Bits.pendingBit) : new
    }
  }

  /// Gives the owner a share in place of the queue.
  ///
  /// - Returns: whether it also stays the owner, because something is pending.
  borrowing func shareInstead(more: Bool) -> Bool {
    let (_, new) = transition { old in
      if more || old.isPending { return old.plusShared.without(Bits.pendingBit) }
      return old.unowned.plusShared
    }
    return new!.isOwned
  }

  // MARK: Halting

  /// Adds a suspension.
  ///
  /// - Returns: whether there was room for it.
  borrowing func suspend() -> Bool {
    let (_, new) = transition { old in
      old.bits & Bits.suspensionMask == Bits.suspensionMask
        ? nil : Snapshot(old.bits + Bits.oneSuspension)
    }
    return new != nil
  }

  /// Removes a suspension.
  ///
  /// - Returns: nil if the queue was not suspended.
  borrowing func resume() -> Duty? {
    let change = transition { old in
      guard old.isSuspended else { return nil }
      let new = Snapshot(old.bits - Bits.oneSuspension)
      return new.isPending && new.canBeScheduled ? new.with(Bits.scheduledBit) : new
    }
    return change.new == nil ? nil : duty(change)
  }

  /// Activates an inactive queue. It does nothing on an active one.
  borrowing func activate() -> Duty {
    let change = transition { old in
      guard old.isInactive else { return nil }
      let new = old.without(Bits.inactiveBit)
      return new.isPending && new.canBeScheduled ? new.with(Bits.scheduledBit) : new
    }
    return change.new == nil ? .none : duty(change)
  }

  private borrowing func duty(_ change: (old: Snapshot, new: Snapshot?)) -> Duty {
    !change.old.isScheduled && change.new!.isScheduled ? .schedule : .none
  }
}

extension QueueState.Snapshot {
  /// Whether a drain task would be useful.
  fileprivate var canBeScheduled: Bool {
    !isOwned && !isHalted && !isScheduled && !waitsForShares
  }

  /// Whether no thread can continue with the list until a share is given up. The thread that
  /// gives it up then becomes the owner.
  fileprivate var waitsForShares: Bool { (isGated && hasShared) || isFull }
}
