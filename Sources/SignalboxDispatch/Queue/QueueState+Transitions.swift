// QueueState+Transitions — the only ways in which the word changes off the
// fast paths. Each says what its caller must do now.

import SignalboxRuntime

extension QueueState {
  private typealias Bits = Snapshot

  /// What is left to do for whoever changed the word.
  enum Duty { case none, enlist }

  // MARK: Producers

  /// A producer found the list empty and appended: someone must look.
  borrowing func announce() -> Duty {
    let change = transition { old in
      let new = old.with(Bits.pendingBit)
      return new.canBeEnlisted ? new.with(Bits.enlistedBit) : new
    }
    return duty(change)
  }

  /// A thread that waits its turn found the list empty and appended itself. If
  /// the queue is free it takes it on the spot.
  ///
  /// - Returns: whether `thread` took the queue by this step. It may own it
  ///   without: granted by an owner that came to it before this announcement.
  borrowing func announceWaiter(_ thread: UInt32, alone: Bool) -> Bool {
    let (old, new) = transition { old in
      if old.isOwned || old.isHalted { return old.with(Bits.pendingBit) }
      if alone && old.hasShared { return old.with(Bits.pendingBit | Bits.gatedBit) }
      return old.owned(by: thread).without(Bits.pendingBit | Bits.gatedBit)
    }
    return !old.isOwned && new!.owner == thread
  }

  /// A thread that waits its turn behind others takes a queue that nobody
  /// serves yet, to serve those before it itself.
  borrowing func takeWaiting(_ thread: UInt32) -> Bool {
    let (_, new) = transition { old in
      if old.isOwned || old.isHalted || (old.isGated && old.hasShared) { return nil }
      return old.owned(by: thread).without(Bits.pendingBit | Bits.gatedBit)
    }
    return new != nil
  }

  // MARK: Taking

  /// Whether an invitation is on its way, for who was told of one by a descriptor.
  borrowing func isInvited() -> Bool {
    // A change, and no load: whoever wrote to the descriptor changed the word before, but
    // nothing says that a load sees that.
    // order: relaxed; the owner acquires by taking the queue.
    Bits(word.bitwiseOr(0, ordering: .relaxed).oldValue).isEnlisted
  }

  /// An invitation arrives on `thread`. Only the queue's own one clears
  /// `enlisted`.
  ///
  /// - Returns: whether `thread` became the owner by this step and must serve. It
  ///   may own the queue without: a thread in `sync` that serves those before it
  ///   in a target's list can come to the invitation of a queue that it holds.
  borrowing func takeInvited(_ thread: UInt32, own: Bool) -> Bool {
    let (old, new) = transition { old in
      let arrived = own ? old.without(Bits.enlistedBit) : old
      if arrived.isOwned || arrived.isHalted { return arrived }
      return arrived.owned(by: thread).without(Bits.pendingBit | Bits.gatedBit)
    }
    return !old.isOwned && new!.owner == thread
  }

  /// One that ran beside others is done.
  ///
  /// - Returns: whether `thread` is now the owner, because something waits and
  ///   nobody serves.
  @inline(__always)
  borrowing func leaveShared(_ thread: UInt32) -> Bool {
    let (_, new) = transition { old in
      let left = old.minusShared
      guard left.isPending, !left.isOwned, !left.isHalted, !(left.isGated && left.hasShared)
      else { return left }
      return left.owned(by: thread).without(Bits.pendingBit | Bits.gatedBit)
    }
    return new!.owner == thread
  }

  // MARK: Owners

  /// The list looks empty.
  ///
  /// - Returns: whether the owner has left; if not, it must look again.
  borrowing func finish() -> Bool {
    let (_, new) = transition { old in
      old.isPending ? old.without(Bits.pendingBit) : old.unowned
    }
    return !new!.isOwned
  }

  /// The main thread goes on with an item within which it had left the queue. Nobody
  /// else has taken it. The invitation that it sent stands no more: whoever answers it within
  /// the item finds the queue taken, so the end of the item sends another.
  borrowing func takeBack(_ thread: UInt32) {
    _ = transition { $0.owned(by: thread).without(Bits.enlistedBit) }
  }

  /// The owner leaves although the list holds items.
  borrowing func leavePending() -> Duty {
    let change = transition { old in
      let new = old.unowned.with(Bits.pendingBit)
      return new.canBeEnlisted ? new.with(Bits.enlistedBit) : new
    }
    return duty(change)
  }

  /// The first item must run alone, and others still run.
  ///
  /// - Returns: whether the owner has left; if not, the others have ended.
  borrowing func leaveGated() -> Bool {
    let (_, new) = transition { old in
      old.hasShared ? old.unowned.with(Bits.pendingBit | Bits.gatedBit) : nil
    }
    return new != nil
  }

  /// The owner runs an item beside others and lets others serve meanwhile.
  @inline(__always)
  borrowing func becomeShared(more: Bool) -> Duty {
    let change = transition { old in
      var new = old.unowned.plusShared
      if more { new = new.with(Bits.pendingBit) }
      return new.isPending && new.canBeEnlisted ? new.with(Bits.enlistedBit) : new
    }
    return duty(change)
  }

  /// The owner grants a share to a thread that waits for one.
  borrowing func grantShared() { _ = transition { $0.plusShared } }

  /// The owner hands the queue to a thread that waits for it. `more`: the list
  /// holds items behind that thread.
  borrowing func grant(to thread: UInt32, more: Bool) {
    _ = transition { old in
      let new = old.owned(by: thread)
      return more ? new.with(Bits.pendingBit) : new
    }
  }

  /// A thread that was alone takes itself a share only, and stops to own.
  ///
  /// - Returns: whether it stays the owner, because something is pending.
  borrowing func shareInstead(more: Bool) -> Bool {
    let (_, new) = transition { old in
      if more || old.isPending { return old.plusShared.without(Bits.pendingBit) }
      return old.unowned.plusShared
    }
    return new!.isOwned
  }

  // MARK: Halting

  /// Whether there was room for one more suspension.
  borrowing func suspend() -> Bool {
    let (_, new) = transition { old in
      old.bits & Bits.suspensionMask == Bits.suspensionMask
        ? nil : Snapshot(old.bits + Bits.oneSuspension)
    }
    return new != nil
  }

  /// `nil`: it was not suspended.
  borrowing func resume() -> Duty? {
    let change = transition { old in
      guard old.isSuspended else { return nil }
      let new = Snapshot(old.bits - Bits.oneSuspension)
      return new.isPending && new.canBeEnlisted ? new.with(Bits.enlistedBit) : new
    }
    return change.new == nil ? nil : duty(change)
  }

  /// Makes an inactive queue active; nothing on an active one.
  borrowing func activate() -> Duty {
    let change = transition { old in
      guard old.isInactive else { return nil }
      let new = old.without(Bits.inactiveBit)
      return new.isPending && new.canBeEnlisted ? new.with(Bits.enlistedBit) : new
    }
    return change.new == nil ? .none : duty(change)
  }

  private borrowing func duty(_ change: (old: Snapshot, new: Snapshot?)) -> Duty {
    !change.old.isEnlisted && change.new!.isEnlisted ? .enlist : .none
  }
}

extension QueueState.Snapshot {
  /// Whether it would make sense to send an invitation.
  fileprivate var canBeEnlisted: Bool {
    !isOwned && !isHalted && !isEnlisted && !(isGated && hasShared)
  }
}
