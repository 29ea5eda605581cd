// QueueModel+Sync — the model of `DispatchQueue+Sync.swift` and `SyncWaiter.swift`: work that
// its caller runs itself, once the queue is handed to the caller.

extension QueueModel {
  /// A thread in the list.
  struct Waiter: Sendable {
    enum Word { static let waiting = 0, asleep = 1, granted = 2 }

    let thread: Int
    let word: Atomic

    /// The number of the thread that appends `item`.
    static func thread(of item: Int) -> Int { 10 + item }
  }

  // MARK: sync

  /// Runs work alone. `item` is what the thread appends if it has to wait; `own` is an item
  /// that the same thread submitted before and that must have run. Nothing is carried from the
  /// entry to the rest, so these are two sections.
  func syncAlone(_ item: Int, after own: Int? = nil) -> [ModelThread.Section] {
    [
      { t in try takeAlone(item, t) },
      { t in
        if let own { try requireRun(own, t) }
        try requireHeld(by: waiters[item]!.thread, t)
        try noteRun(item, t)
        try writeGuarded(t)
        try giveUpAlone(item, t)
      },
    ]
  }

  /// Runs work alone on this queue and on its target. If the thread has to wait for the target,
  /// it is in the target's list as `targetItem`.
  func syncAlone(_ item: Int, in target: QueueModel, as targetItem: Int)
    -> [ModelThread.Section]
  {
    [
      { t in try takeAlone(item, t) },
      { t in try target.takeAlone(targetItem, t) },
      { t in
        try requireHeld(by: waiters[item]!.thread, t)
        try noteRun(item, t)
        try writeGuarded(t)
        try target.noteRun(targetItem, t)
        try target.giveUpAlone(targetItem, t)
      },
      { t in try giveUpAlone(item, t) },
    ]
  }

  /// Runs work beside others.
  func syncShared(_ item: Int) -> [ModelThread.Section] {
    [
      { t in try takeShare(item, t) },
      { t in
        try noteRun(item, t)
        _ = try t.read(guarded)
        try giveUpShare(item, t)
      },
    ]
  }

  // Before a thread appends itself to the list of a busy queue, it repeats the fast path several
  // times. The model has the fast path only once.

  private func takeAlone(_ item: Int, _ t: ModelThread) throws {
    if try looksFree(t),
      try t.compareExchange(
        word, expected: 0, desired: waiters[item]!.thread, orderings[.take],
        failure: .relaxed
      ).exchanged
    {
      return
    }
    try wait(item, alone: true, t)
  }

  private func giveUpAlone(_ item: Int, _ t: ModelThread) throws {
    let thread = waiters[item]!.thread
    let given = try t.compareExchange(
      word, expected: thread, desired: 0, orderings[.giveUp], failure: .relaxed)
    if !given.exchanged { try serve(thread, for: .handingOn, t) }
  }

  private func takeShare(_ item: Int, _ t: ModelThread) throws {
    if try looksFree(t) {
      let old = try t.transform(word, orderings[.share]) {
        $0 & ~Bits.sharedMask == 0 && !isFull($0) ? $0 + Bits.oneShared : nil
      }
      if old & ~Bits.sharedMask == 0 && !isFull(old) { return }
    }
    try wait(item, alone: false, t)
  }

  private func giveUpShare(_ item: Int, _ t: ModelThread) throws {
    let thread = waiters[item]!.thread
    let old = try t.transform(word, orderings[.unshare]) {
      $0 & ~Bits.sharedMask == 0 ? $0 - Bits.oneShared : nil
    }
    if old & ~Bits.sharedMask != 0, try leaveShared(thread, t) {
      try serve(thread, for: .handingOn, t)
    }
  }

  private func looksFree(_ t: ModelThread) throws -> Bool {
    try mistake == .listNotLookedAt || list.isEmpty(t, orderings[.lookAtList])
  }

  private func noteRun(_ item: Int, _ t: ModelThread) throws {
    try t.write(try t.read(ran[item - 1]) + 1, to: ran[item - 1])
  }

  private func requireHeld(by thread: Int, _ t: ModelThread) throws {
    let holder = Bits.owner(try t.load(word, .relaxed))
    try t.require(holder == thread, "\(thread) runs alone on the queue that \(holder) holds")
  }

  private func requireRun(_ item: Int, _ t: ModelThread) throws {
    try t.require(try t.read(ran[item - 1]) == 1, "item \(item) was overtaken")
  }

  // MARK: The waiter's side

  private func wait(_ item: Int, alone: Bool, _ t: ModelThread) throws {
    if try !waitOwning(item, alone: alone, t) { try sleep(waiters[item]!, t) }
    try leaveStack(item, t)
  }

  /// Appends the thread, which runs the items before its own if it can. Returns whether it
  /// is its turn.
  private func waitOwning(_ item: Int, alone: Bool, _ t: ModelThread) throws -> Bool {
    let waiter = waiters[item]!
    let isOwner =
      try list.append(item, t)
      ? try announceWaiter(waiter.thread, alone: alone, t)
      : try mayAdvance && takeWaiting(waiter.thread, t)
    guard isOwner else { return false }
    if mistake != .grantNotLookedFor,
      try t.load(waiter.word, orderings[.lookForGrant]) == Waiter.Word.granted
    {
      // An owner reached the item before this step, granted a share, and left.
      try serve(waiter.thread, for: .handingOn, t)
      return true
    }
    return try serve(waiter.thread, reaching: item, alone: alone, t)
  }

  /// The waiter's memory is part of the stack frame that ends now.
  private func leaveStack(_ item: Int, _ t: ModelThread) throws {
    try t.free(waiters[item]!.word)
    try t.free(list.next[item - 1])
  }

  /// Returns whether the thread took the queue.
  private func announceWaiter(_ thread: Int, alone: Bool, _ t: ModelThread) throws -> Bool {
    let change: @Sendable (Int) -> Int = { old in
      if Bits.isOwned(old) || old & Bits.halted != 0 { return old | Bits.pending }
      if alone && Bits.hasShared(old) { return old | Bits.pending | Bits.gated }
      if isFull(old) { return old | Bits.pending }
      return Bits.owned(old, by: thread)
    }
    let old = try t.transform(word, orderings[.transition], change)
    let isOwner = Bits.owner(change(old)) == thread
    return mistake == .grantTakenForOwn ? isOwner : isOwner && !Bits.isOwned(old)
  }

  /// Takes a queue that no thread drains, to run the items before the thread's own. Returns
  /// whether it has taken the queue.
  private func takeWaiting(_ thread: Int, _ t: ModelThread) throws -> Bool {
    let takesThoughOwned = mistake == .takesThoughOwned
    let change: @Sendable (Int) -> Int? = { old in
      if Bits.isOwned(old) && !takesThoughOwned { return nil }
      if old & Bits.halted != 0 || waitsForShares(old) { return nil }
      return Bits.owned(old, by: thread)
    }
    return change(try t.transform(word, orderings[.transition], change)) != nil
  }

  private func sleep(_ waiter: Waiter, _ t: ModelThread) throws {
    let word = waiter.word
    if waitersStayAwake {
      try t.await(word, .equal(Waiter.Word.granted), orderings[.lookAwake])
      return
    }
    // One load represents the many loads of the spin.
    if try t.load(word, orderings[.lookAwake]) == Waiter.Word.granted { return }
    let slept = try t.compareExchange(
      word, expected: Waiter.Word.waiting, desired: Waiter.Word.asleep, .relaxed,
      failure: orderings[.failToSleep])
    guard slept.exchanged else { return }
    repeat {
      try t.futexWait(word, expected: Waiter.Word.asleep)
    } while try t.load(word, orderings[.lookAfterSleep]) != Waiter.Word.granted
  }

  // MARK: The granter's side

  /// Returns false, because the thread does not hold the queue any more.
  func grant(_ item: Int, _ waiter: Waiter, _ t: ModelThread) throws -> Bool {
    let more = try list.removeFirst(item, t) != 0
    try t.transform(word, orderings[.transition]) { old in
      let new = old & ~Bits.ownerMask | waiter.thread
      return more ? new | Bits.pending : new
    }
    try wake(waiter, t)
    return false
  }

  func grantShared(_ item: Int, _ waiter: Waiter, _ t: ModelThread) throws {
    try list.removeFirst(item, t)
    try requireRoom(try t.transform(word, orderings[.transition]) { $0 + Bits.oneShared }, t)
    try wake(waiter, t)
  }

  private func wake(_ waiter: Waiter, _ t: ModelThread) throws {
    let old = try t.exchange(waiter.word, Waiter.Word.granted, orderings[.grant])
    if old == Waiter.Word.asleep { try t.futexWake(waiter.word) }
  }
}
