// The model of `DispatchQueue+Sync.swift` and `SyncWaiter.swift`: work that its caller
// runs itself, when the queue has been handed to it.

extension QueueModel {
  /// A thread that stands in the list.
  struct Waiter: Sendable {
    enum Word { static let waiting = 0, asleep = 1, granted = 2 }

    let thread: Int
    let word: Atomic
  }

  /// Runs work alone. `item`: what the thread appends if it has to wait. Nothing is
  /// carried from the entry to the rest, so these are two sections.
  func syncAlone(_ item: Int) -> [ModelThread.Section] {
    let thread = waiters[item]!.thread
    return [
      { t in
        let taken = try t.compareExchange(
          word, expected: 0, desired: thread, orderings[.take], failure: .relaxed)
        if !taken.exchanged { try wait(item, alone: true, t) }
      },
      { t in
        try noteRun(item, t)
        try writeGuarded(t)
        let given = try t.compareExchange(
          word, expected: thread, desired: 0, orderings[.giveUp], failure: .relaxed)
        if !given.exchanged { try serve(thread, handingOn: true, t) }
      },
    ]
  }

  /// Runs work beside others.
  func syncShared(_ item: Int) -> [ModelThread.Section] {
    let thread = waiters[item]!.thread
    return [
      { t in
        let old = try t.transform(word, orderings[.share]) {
          $0 & ~Bits.sharedMask == 0 ? $0 + Bits.oneShared : nil
        }
        if old & ~Bits.sharedMask != 0 { try wait(item, alone: false, t) }
      },
      { t in
        try noteRun(item, t)
        _ = try t.read(guarded)
        let old = try t.transform(word, orderings[.unshare]) {
          $0 & ~Bits.sharedMask == 0 ? $0 - Bits.oneShared : nil
        }
        if old & ~Bits.sharedMask != 0, try leaveShared(thread, t) {
          try serve(thread, handingOn: true, t)
        }
      },
    ]
  }

  private func noteRun(_ item: Int, _ t: ModelThread) throws {
    try t.write(try t.read(ran[item - 1]) + 1, to: ran[item - 1])
  }

  // MARK: The waiter's side

  private func wait(_ item: Int, alone: Bool, _ t: ModelThread) throws {
    let waiter = waiters[item]!
    if try list.append(item, t), try announceWaiter(waiter.thread, alone: alone, t) {
      if mistake != .grantNotLookedFor, try list.first(t) != item {
        // An owner met the item before it was announced, granted a share, and left.
        try serve(waiter.thread, handingOn: true, t)
        return try leaveStack(item, t)
      }
      let more = try list.removeFirst(item, t) != 0
      if alone {
        if more { try t.transform(word, orderings[.transition]) { $0 | Bits.pending } }
      } else if try shareInstead(more: more, t) {
        try serve(waiter.thread, handingOn: true, t)
      }
    } else {
      try sleep(waiter, t)
    }
    try leaveStack(item, t)
  }

  /// The waiter's memory is a part of the stack that is left now.
  private func leaveStack(_ item: Int, _ t: ModelThread) throws {
    try t.free(waiters[item]!.word)
    try t.free(list.next[item - 1])
  }

  /// Returns whether the thread took the queue.
  private func announceWaiter(_ thread: Int, alone: Bool, _ t: ModelThread) throws -> Bool {
    let change: @Sendable (Int) -> Int = { old in
      if Bits.isOwned(old) || old & Bits.halted != 0 { return old | Bits.pending }
      if alone && Bits.hasShared(old) { return old | Bits.pending | Bits.gated }
      return Bits.owned(old, by: thread)
    }
    let old = try t.transform(word, orderings[.transition], change)
    let isOwner = Bits.owner(change(old)) == thread
    return mistake == .grantTakenForOwn ? isOwner : isOwner && !Bits.isOwned(old)
  }

  /// Returns whether the thread stays the owner.
  private func shareInstead(more: Bool, _ t: ModelThread) throws -> Bool {
    let old = try t.transform(word, orderings[.transition]) { old in
      more || old & Bits.pending != 0
        ? old & ~Bits.pending + Bits.oneShared : old & ~Bits.ownerMask + Bits.oneShared
    }
    return more || old & Bits.pending != 0
  }

  private func sleep(_ waiter: Waiter, _ t: ModelThread) throws {
    let word = waiter.word
    // One look stands for the many of the spin.
    if try t.load(word, orderings[.loadGranted]) == Waiter.Word.granted { return }
    let slept = try t.compareExchange(
      word, expected: Waiter.Word.waiting, desired: Waiter.Word.asleep, .relaxed,
      failure: orderings[.failToSleep])
    guard slept.exchanged else { return }
    repeat {
      try t.futexWait(word, expected: Waiter.Word.asleep)
    } while try t.load(word, orderings[.loadGranted]) != Waiter.Word.granted
  }

  // MARK: The granter's side

  func grant(_ item: Int, _ waiter: Waiter, _ t: ModelThread) throws {
    let more = try list.removeFirst(item, t) != 0
    try t.transform(word, orderings[.transition]) { old in
      let new = old & ~Bits.ownerMask | waiter.thread
      return more ? new | Bits.pending : new
    }
    try wake(waiter, t)
  }

  func grantShared(_ item: Int, _ waiter: Waiter, _ t: ModelThread) throws {
    try list.removeFirst(item, t)
    try t.transform(word, orderings[.transition]) { $0 + Bits.oneShared }
    try wake(waiter, t)
  }

  private func wake(_ waiter: Waiter, _ t: ModelThread) throws {
    let old = try t.exchange(waiter.word, Waiter.Word.granted, orderings[.grant])
    if old == Waiter.Word.asleep { try t.futexWake(waiter.word) }
  }
}
