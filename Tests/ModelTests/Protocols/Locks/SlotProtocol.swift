// SlotProtocol — the model of the slots in the pool: `Pool+Slots.swift`, `Pool+Parking.swift` and
// `Pool+Calling.swift` in `SignalboxRuntime/Pool`.
//
// One worker, the *host*, runs a long item and may submit to its own slot. Another worker, the
// *spinning worker*, is about to park. Submitters are outside the pool. The data that the pool guards
// with its lock is plain memory here, so a decision outside the lock is a race.

enum SlotSite: Site {
  /// A submission's exchange of the slot, and its look at the hint.
  case putSlot, loadHint
  /// The same for the helper slot, which a submission stores into.
  case putHelperSlot, loadHintForHelperSlot
  /// Under the lock: the hint is changed, then the slots are looked at.
  case storeHint, lookAtSlot
  /// A slot's own worker takes from it; another worker takes from it under the lock.
  case takeOwn, steal
  /// The worker's word: the waker's store, the sleeper's load.
  case rouse, loadWord

  var access: Access {
    switch self {
    case .putSlot, .takeOwn, .steal: .update
    case .putHelperSlot, .storeHint, .rouse: .store
    case .loadHint, .loadHintForHelperSlot, .lookAtSlot, .loadWord: .load
    }
  }

  var ordering: Ordering {
    switch self {
    case .putSlot, .loadHint, .putHelperSlot, .loadHintForHelperSlot, .storeHint, .lookAtSlot:
      .sequentiallyConsistent
    case .takeOwn, .steal, .loadWord: .acquire
    case .rouse: .release
    }
  }

  /// A slot and a helper slot are one location here; a scenario has one or the other.
  var operations: [String] {
    switch self {
    case .putSlot: ["Pool/Pool+Slots.submitToSlot:PL1+W1"]
    case .loadHint: ["Pool/Pool+Slots.submitToSlot:PL1"]
    case .putHelperSlot: ["Pool/Pool+Slots.submitForHelper:PL1+W1"]
    case .loadHintForHelperSlot: ["Pool/Pool+Slots.submitForHelper:PL1"]
    case .storeHint: ["Pool/Pool+Calling.updateSlotHint:PL1"]
    case .lookAtSlot: ["Pool/Pool+Calling.workRemains:PL1", "Pool/Pool+Calling.workRemains:PL1.2"]
    case .takeOwn:
      [
        "Pool/Pool+Slots.takeOwn:W1", "Pool/Pool+Slots.takeFromHelperSlot:W1",
        "Pool/Pool+Slots.takeFairly:W1",
      ]
    case .steal:
      [
        "Pool/Pool+Slots.steal:W1", "Pool/Pool+Slots.steal:W1.2", "Pool/Pool+Slots.appendOwn:W1",
        "Pool/Pool+Slots.appendOwn:W1.2",
      ]
    case .rouse: ["Pool/Pool+Calling.rouse:W2"]
    case .loadWord: ["Pool/Pool+Parking.sleepParked:W2"]
    }
  }
}

struct SlotProtocol: Sendable {
  /// Ways to get the protocol wrong.
  enum Mistake {
    /// The parking worker does not look at the slots again after it changes the hint.
    case noSecondLook
    /// A woken worker does not look at its word.
    case wakeIsBelieved
    /// The worker goes on the idle list, but its word says so only after the lock is released.
    case wordAfterTheLock
  }

  enum Hint { static let none = 0, call = 1 }
  enum Word { static let awake = 0, asleep = 1 }
  static let width = 2

  let orderings: Orderings<SlotSite>
  var mistake: Mistake?

  let slot, hint, lock, word: Atomic
  /// Guarded by the lock.
  let pending, running, total, hasSpinner, isIdle, starts: Plain
  /// The contents of the item in the slot, and the number of items that the spinning worker ran.
  let contents, ran: Plain

  init(
    _ p: inout Program, hasSpinner: Bool, _ orderings: Orderings<SlotSite>,
    _ mistake: Mistake? = nil
  ) {
    self.orderings = orderings
    self.mistake = mistake
    slot = p.atomic("slot")
    // The host and the spinning worker run; no more workers are allowed.
    hint = p.atomic("hint", Hint.none)
    lock = p.atomic("lock")
    word = p.atomic("word", Word.awake, isMortal: true)
    pending = p.plain("pending")
    running = p.plain("running", Self.width)
    total = p.plain("total", 2)
    self.hasSpinner = p.plain("spinning worker", hasSpinner ? 1 : 0)
    isIdle = p.plain("idle")
    starts = p.plain("starts")
    contents = p.plain("contents")
    ran = p.plain("items run")
  }

  // MARK: Submitting

  /// The host submits to its own slot.
  func submitToSlot(_ t: ModelThread) throws {
    try t.write(42, to: contents)
    _ = try t.exchange(slot, 1, orderings[.putSlot])
    guard try t.load(hint, orderings[.loadHint]) == Hint.call else { return }
    try callForSlot(t)
  }

  /// The host stores an item into its empty helper slot.
  func submitForHelper(_ t: ModelThread) throws {
    try t.write(42, to: contents)
    try t.store(1, to: slot, orderings[.putHelperSlot])
    guard try t.load(hint, orderings[.loadHintForHelperSlot]) == Hint.call else { return }
    try callForSlot(t)
  }

  private func callForSlot(_ t: ModelThread) throws {
    try t.lock(lock)
    let wake = try callForWork(t)
    try t.unlock(lock)
    if wake { try t.futexWake(word) }
  }

  /// The host ends its item and takes the item in its slot. Returns whether there was one.
  func takeOwn(_ t: ModelThread) throws -> Bool {
    guard try t.load(slot, .relaxed) != 0 else { return false }
    guard try t.exchange(slot, 0, orderings[.takeOwn]) != 0 else { return false }
    try use(t)
    return true
  }

  /// Submits to the shared run queues.
  func submitShared(_ t: ModelThread) throws {
    try t.lock(lock)
    try t.write(try t.read(pending) + 1, to: pending)
    let wake = try callForWork(t)
    try t.unlock(lock)
    if wake { try t.futexWake(word) }
  }

  /// Call under the lock. Returns whether the caller must wake the parked worker.
  private func callForWork(_ t: ModelThread) throws -> Bool {
    if try t.read(hasSpinner) != 0 { return false }
    guard try t.read(running) < Self.width else { return false }
    if try t.read(isIdle) != 0 {
      try t.write(0, to: isIdle)
      try t.write(try t.read(running) + 1, to: running)
      try setSpinner(1, t)
      try t.store(Word.awake, to: word, orderings[.rouse])
      return true
    }
    try t.write(try t.read(starts) + 1, to: starts)
    return false
  }

  // MARK: The spinning worker

  enum Next { case fromSlot, fromLines, retired }

  /// Returns where the spinning worker finds its next item; sleeps until there is one.
  func next(_ t: ModelThread, mayRetire: Bool = false) throws -> Next {
    try t.lock(lock)
    while true {
      try t.require(try t.read(isIdle) == 0, "a worker on the idle list runs")
      let waiting = try t.read(pending)
      if waiting > 0 {
        try t.write(waiting - 1, to: pending)
        try leave(t)
        return .fromLines
      }
      if try t.exchange(slot, 0, orderings[.steal]) != 0 {
        try leave(t)
        try use(t)
        return .fromSlot
      }
      if try t.read(hasSpinner) != 0 { try setSpinner(0, t) }
      if try park(t, mayRetire: mayRetire) { return .retired }
    }
  }

  private func leave(_ t: ModelThread) throws {
    if try t.read(hasSpinner) != 0 { try setSpinner(0, t) }
    try t.unlock(lock)
  }

  /// Call under the lock, which is released and taken again. Returns whether the worker
  /// retired.
  private func park(_ t: ModelThread, mayRetire: Bool) throws -> Bool {
    try t.write(try t.read(running) - 1, to: running)
    try updateHint(t)
    if mistake != .noSecondLook, try t.load(slot, orderings[.lookAtSlot]) != 0 {
      try t.write(try t.read(running) + 1, to: running)
      try setSpinner(1, t)
      return false
    }
    try t.write(1, to: isIdle)
    if mistake != .wordAfterTheLock { try t.store(Word.asleep, to: word, .relaxed) }
    try t.unlock(lock)
    if mistake == .wordAfterTheLock { try t.store(Word.asleep, to: word, .relaxed) }
    var mayTimeOut = mayRetire
    while try t.load(word, orderings[.loadWord]) == Word.asleep {
      let outcome = try t.futexWait(word, expected: Word.asleep, canTimeOut: mayTimeOut)
      if mistake == .wakeIsBelieved { break }
      guard outcome == .timedOut else { continue }
      if try retire(t) { return true }
      mayTimeOut = false
    }
    try t.lock(lock)
    return false
  }

  private func retire(_ t: ModelThread) throws -> Bool {
    try t.lock(lock)
    let wasIdle = try t.read(isIdle) != 0
    if wasIdle {
      try t.write(0, to: isIdle)
      try t.write(try t.read(total) - 1, to: total)
    }
    try t.unlock(lock)
    if wasIdle { try t.free(word) }
    return wasIdle
  }

  private func setSpinner(_ value: Int, _ t: ModelThread) throws {
    try t.write(value, to: hasSpinner)
    try updateHint(t)
  }

  private func updateHint(_ t: ModelThread) throws {
    let isWanted = try t.read(running) < Self.width && t.read(hasSpinner) == 0
    let wanted = isWanted ? Hint.call : Hint.none
    if try t.load(hint, .relaxed) != wanted {
      try t.store(wanted, to: hint, orderings[.storeHint])
    }
  }

  private func use(_ t: ModelThread) throws {
    let found = try t.read(contents)
    try t.require(found == 42, "the item's contents are \(found)")
    try t.write(0, to: contents)
  }
}
