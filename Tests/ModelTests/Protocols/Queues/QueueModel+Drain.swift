// QueueModel+Drain — the model of `DispatchQueue+Drain.swift`: what the owner of a queue does.

extension QueueModel {
  /// Why an owner drains the queue.
  enum Purpose: Equatable {
    /// To run the items that it finds.
    case running
    /// To hand the queue over after its own sync.
    case handingOn
    /// To reach this item, which is its own, and to run the items that must end before it.
    case reaching(Int)
  }

  // MARK: Workers

  /// Waits for the drain task in the pool, then drains.
  func drainScheduled(_ thread: Int, _ t: ModelThread) throws {
    try t.awaitExchange(drainTask, 1, 0, .acquire)
    try drainArrived(thread, t)
  }

  /// The drain task has arrived on `thread`.
  func drainArrived(_ thread: Int, _ t: ModelThread) throws {
    if mistake == .ownershipByStore {
      let old = try t.load(word, .acquire)
      if Bits.isOwned(old) {
        try t.transform(word, orderings[.transition]) { $0 & ~Bits.scheduled }
        return
      }
      try t.store(thread, to: word, .sequentiallyConsistent)
    } else {
      let old = try t.transform(word, orderings[.transition]) { old in
        let arrived = old & ~Bits.scheduled
        return Bits.isOwned(arrived) || arrived & Bits.halted != 0
          ? arrived : Bits.owned(arrived, by: thread)
      }
      let isMine = mistake == .ownTurnTakenForScheduled && Bits.owner(old) == thread
      if Bits.isOwned(old) && !isMine || old & Bits.halted != 0 { return }
    }
    try serve(thread, for: .running, t)
  }

  // MARK: Draining

  /// Drains the list. The thread owns the queue at first, and no longer afterwards, unless it
  /// drained to reach its own item and has reached it. Returns whether it has.
  @discardableResult
  func serve(_ thread: Int, for purpose: Purpose, _ t: ModelThread) throws -> Bool {
    var upcoming = 0
    while true {
      let item = upcoming != 0 ? upcoming : try list.first(t)
      upcoming = 0
      if item == 0 {
        if try finish(t) { return false }
        continue
      }
      let now = try t.load(word, orderings[.lookForShares])
      if now & Bits.halted != 0 { return try leave(t) }
      if purpose == .reaching(item) { return true }
      if isSerial || barriers.contains(item) {
        if Bits.hasShared(now) {
          if try leaveGated(t) { return false }
          continue
        }
        if let waiter = waiters[item] { return try grant(item, waiter, t) }
        if purpose == .handingOn { return try leave(t) }
        upcoming = try list.removeFirst(item, t)
        try runAlone(item, by: thread, t)
      } else {
        if purpose != .running, waiters[item] == nil { return try leave(t) }
        if isFull(now) {
          if try leaveFull(t) { return false }
          continue
        }
        if let waiter = waiters[item] {
          try grantShared(item, waiter, t)
          continue
        }
        let more = try list.removeFirst(item, t) != 0
        try becomeShared(more: more, t)
        try runShared(item, t)
        guard try leaveShared(thread, t) else { return false }
      }
      if turnsEnd, purpose == .running, try t.choose(below: 2) == 1 { return try leave(t) }
    }
  }

  /// A thread that waits in sync owns the queue and runs the items before its own. Returns
  /// whether it is its turn; if not, another thread will grant it.
  func serve(_ thread: Int, reaching item: Int, alone: Bool, _ t: ModelThread) throws -> Bool {
    while true {
      guard try serve(thread, for: .reaching(item), t) else { return false }
      if alone && mistake == .sharesNotLookedFor { break }
      let now = try t.load(word, orderings[.lookBeforeTurn])
      guard alone ? Bits.hasShared(now) : isFull(now) else { break }
      if try alone ? leaveGated(t) : leaveFull(t) { return false }
    }
    let more = try list.removeFirst(item, t) != 0 && mistake != .forgetsThoseBehind
    if alone {
      if more { try t.transform(word, orderings[.transition]) { $0 | Bits.pending } }
    } else if try shareInstead(more: more, t) {
      try serve(thread, for: .handingOn, t)
    }
    return true
  }

  // MARK: Leaving

  /// The list looks empty. Returns whether the owner has left.
  private func finish(_ t: ModelThread) throws -> Bool {
    let leavesRegardless = mistake == .leavesRegardless
    let old = try t.transform(word, orderings[.transition]) { old in
      old & Bits.pending != 0 && !leavesRegardless
        ? old & ~Bits.pending : old & ~(Bits.ownerMask | Bits.pending)
    }
    return old & Bits.pending == 0 || leavesRegardless
  }

  /// The owner leaves; the list may hold items. Returns false, because the queue is not held.
  private func leave(_ t: ModelThread) throws -> Bool {
    let change: @Sendable (Int) -> Int = {
      scheduledIfPossible($0 & ~Bits.ownerMask | Bits.pending)
    }
    let old = try t.transform(word, orderings[.transition], change)
    try scheduleIfSet(old, change(old), t)
    return false
  }

  /// The first item must run alone while others still run. Returns whether the owner has left;
  /// if not, the others have ended.
  private func leaveGated(_ t: ModelThread) throws -> Bool {
    let old = try t.transform(word, orderings[.transition]) {
      Bits.hasShared($0) ? $0 & ~Bits.ownerMask | Bits.pending | Bits.gated : nil
    }
    return Bits.hasShared(old)
  }

  /// The first item needs a share, but the count is full. Returns whether the owner has left;
  /// if not, another item has given up a share.
  private func leaveFull(_ t: ModelThread) throws -> Bool {
    let regardless = mistake == .leavesFullRegardless
    let old = try t.transform(word, orderings[.transition]) {
      isFull($0) || regardless ? $0 & ~Bits.ownerMask | Bits.pending : nil
    }
    return isFull(old) || regardless
  }

  // MARK: Shares

  /// A count beyond the maximum would overflow into the next bit.
  func requireRoom(_ old: Int, _ t: ModelThread) throws {
    try t.require(!isFull(old), "a share more than can be counted")
  }

  private func becomeShared(more: Bool, _ t: ModelThread) throws {
    let become: @Sendable (Int) -> Int = { old in
      let new = old & ~Bits.ownerMask + Bits.oneShared
      return scheduledIfPossible(more ? new | Bits.pending : new)
    }
    let old = try t.transform(word, orderings[.transition], become)
    try requireRoom(old, t)
    try scheduleIfSet(old, become(old), t)
  }

  /// Gives up a share. Returns whether the thread is now the owner.
  func leaveShared(_ thread: Int, _ t: ModelThread) throws -> Bool {
    let continues: @Sendable (Int) -> Bool = { old in
      if mistake == .fullTakenForServed && isFull(old) { return false }
      let left = old - Bits.oneShared
      return left & Bits.pending != 0 && !Bits.isOwned(left) && left & Bits.halted == 0
        && !waitsForShares(left)
    }
    let old = try t.transform(word, orderings[.transition]) { old in
      let left = old - Bits.oneShared
      return continues(old) ? Bits.owned(left, by: thread) : left
    }
    return continues(old)
  }

  /// Returns whether the thread stays the owner.
  private func shareInstead(more: Bool, _ t: ModelThread) throws -> Bool {
    let old = try t.transform(word, orderings[.transition]) { old in
      more || old & Bits.pending != 0
        ? old & ~Bits.pending + Bits.oneShared : old & ~Bits.ownerMask + Bits.oneShared
    }
    try requireRoom(old, t)
    return more || old & Bits.pending != 0
  }

  // MARK: Items

  private func runAlone(_ item: Int, by thread: Int, _ t: ModelThread) throws {
    if let drainArrived = scheduled[item] { return try drainArrived(thread, t) }
    try list.run(item, t)
    try t.write(try t.read(ran[item - 1]) + 1, to: ran[item - 1])
    try writeGuarded(t)
  }

  private func runShared(_ item: Int, _ t: ModelThread) throws {
    try list.run(item, t)
    try t.write(try t.read(ran[item - 1]) + 1, to: ran[item - 1])
    _ = try t.read(guarded)
  }

  func writeGuarded(_ t: ModelThread) throws {
    try t.write(try t.read(guarded) + 1, to: guarded)
  }
}
