// QueueModel — the model of `SignalboxDispatch/Queue/Core/QueueState.swift` and of producers. The
// owners that drain the queue and the threads that wait for their turn are in the other files
// of this name.
//
// The word's counts have fewer bits here; the names are the same. A queue is serial if it is
// made without a set of barriers.

enum QueueSite: Site {
  /// The compare-and-swaps of the fast paths.
  case take, giveUp, share, unshare
  /// Every other change of the word.
  case transition
  /// A thread's look at the list before it takes a queue that looks idle.
  case lookAtList
  /// An owner's look at the word before it runs an item alone, and before its own turn.
  case lookForShares, lookBeforeTurn
  /// A granter's exchange of a waiter's word, and the waiter's looks at that word: the first
  /// one if the waiter has taken the queue, the others if it has not.
  case grant, lookForGrant, lookAwake, failToSleep, lookAfterSleep

  var access: Access {
    switch self {
    case .take, .giveUp, .share, .unshare, .transition, .grant: .update
    default: .load
    }
  }

  var ordering: Ordering {
    switch self {
    case .giveUp, .unshare: .release
    case .transition, .grant: .acquireRelease
    default: .acquire
    }
  }

  var operations: [String] {
    switch self {
    case .take: ["Core/QueueState.tryTake:QS1"]
    case .giveUp: ["Core/QueueState.tryGiveUp:QS1"]
    case .share: ["Core/QueueState.tryShare:QS1"]
    case .unshare: ["Core/QueueState.tryUnshare:QS1"]
    case .transition: ["Core/QueueState.transition:QS1+QS2"]
    case .lookAtList: ["Pool/ItemList.isEmpty:IL3"]
    case .lookForShares, .lookBeforeTurn: ["Core/QueueState.ownersSnapshot:QS1"]
    case .grant: ["Core/SyncWaiter.wake:SW1"]
    case .lookForGrant: ["Core/SyncWaiter.wait:SW1"]
    case .lookAwake: ["Core/SyncWaiter.sleep:SW1"]
    case .failToSleep: ["Core/SyncWaiter.sleep:SW1.2"]
    case .lookAfterSleep: ["Core/SyncWaiter.sleep:SW1.3"]
    }
  }
}

/// The word's bits.
enum QueueBits {
  static let ownerMask = 0xFF
  static let oneShared = 1 << 8
  static let sharedMask = 0xF << 8
  static let pending = 1 << 12
  static let scheduled = 1 << 13
  static let gated = 1 << 14
  static let oneSuspension = 1 << 16
  static let halted = 0xF << 16

  static func isOwned(_ word: Int) -> Bool { word & ownerMask != 0 }
  static func hasShared(_ word: Int) -> Bool { word & sharedMask != 0 }
  static func owner(_ word: Int) -> Int { word & ownerMask }

  static func owned(_ word: Int, by thread: Int) -> Int {
    word & ~(ownerMask | pending | gated) | thread
  }

}

struct QueueModel: Sendable {
  /// Other ways to do it. All are wrong except `grantNotLookedFor`.
  enum Mistake {
    /// The drain task takes ownership with a plain store over `pending`.
    case ownershipByStore
    /// An owner leaves without a look at `pending`.
    case leavesRegardless
    /// A producer that finds the list empty relies on an owner that it has seen.
    case announcesOnlyToIdle
    /// A waiter that finds itself the owner assumes that it took the queue, though another
    /// thread may have granted it the queue in between.
    case grantTakenForOwn
    /// A waiter that took the queue assumes that it is in the list, though it may have received
    /// a share in between. The result is the same.
    case grantNotLookedFor
    /// A waiter takes the queue to run the items before its own, though another thread owns it.
    case takesThoughOwned
    /// A waiter that must run alone reaches its place and does not look whether others still
    /// run.
    case sharesNotLookedFor
    /// A waiter that reaches its place does not record that there are waiters behind it.
    case forgetsThoseBehind
    /// The fast path takes an idle queue without a look at its list.
    case listNotLookedAt
    /// An owner that finds the queue full leaves without a look whether a share was given up in
    /// between.
    case leavesFullRegardless
    /// A thread that gives up a share of a full queue assumes that another thread drains it.
    case fullTakenForServed
    /// A drain task finds that its own thread owns the queue, and assumes that it took the
    /// queue itself.
    case ownTurnTakenForScheduled
  }

  typealias Bits = QueueBits

  let word: Atomic
  let list: ItemListModel
  /// The drain task on its way through the pool.
  let drainTask: Atomic
  let orderings: Orderings<QueueSite>
  var mistake: Mistake?
  /// The items that run alone.
  let barriers: Set<Int>
  let isSerial: Bool
  /// An owner may leave after any item, because other work waits for its worker.
  let turnsEnd: Bool
  let ran: [Plain]
  /// The items that are threads waiting in sync, with their words.
  let waiters: [Int: Waiter]
  /// Every item that runs alone writes it; the other items read it.
  let guarded: Plain
  /// Whether a waiting thread may run the items before its own. It may not on the main thread,
  /// nor if the queue has a target.
  var mayAdvance = true
  /// Leaves out how waiters fall asleep, so that a scenario can have more of them.
  var waitersStayAwake = false
  /// The highest number of shares that the word counts, in its bit position.
  var full = Bits.sharedMask
  /// Schedules the queue on its target; nil means on the pool.
  var scheduleInTarget: ModelThread.Section?
  /// The items that are drain tasks of queues with this queue as their target, and what a
  /// thread runs when it reaches them.
  var scheduled: [Int: @Sendable (_ thread: Int, ModelThread) throws -> Void] = [:]

  init(
    _ p: inout Program, named name: String = "", _ initial: Int = 0, items: Int,
    barriers: Set<Int>? = nil, waiters: [Int] = [], turnsEnd: Bool = false,
    _ orderings: Orderings<QueueSite>, _ mistake: Mistake? = nil
  ) {
    word = p.atomic("\(name)word", initial)
    drainTask = p.atomic("\(name)drain task")
    list = ItemListModel(&p, named: name, items: items, .asBuilt)
    self.orderings = orderings
    self.mistake = mistake
    isSerial = barriers == nil
    self.turnsEnd = turnsEnd
    self.barriers = barriers ?? []
    self.waiters = Dictionary(
      uniqueKeysWithValues: waiters.map { item in
        let word = p.atomic("\(name)waiter \(item)", isMortal: true)
        return (item, Waiter(thread: Waiter.thread(of: item), word: word))
      })
    ran = (1...items).map { p.plain("\(name)runs of item \($0)") }
    guarded = p.plain("\(name)guarded")
  }

  /// Returns what is wrong at the end: remaining items, or a state that is not idle.
  func leftovers(_ end: FinalState) -> String? {
    for (index, runs) in ran.enumerated() where end[runs] != 1 {
      if scheduled[index + 1] == nil { return "item \(index + 1) ran \(end[runs]) times" }
    }
    return end[word] == 0 && end[list.tail] == 0 ? nil : "the word is \(end[word])"
  }

  // MARK: The word

  func isFull(_ word: Int) -> Bool { word & Bits.sharedMask == full }

  func waitsForShares(_ word: Int) -> Bool {
    word & Bits.gated != 0 && Bits.hasShared(word) || isFull(word)
  }

  func canBeScheduled(_ word: Int) -> Bool {
    !Bits.isOwned(word) && word & (Bits.halted | Bits.scheduled) == 0 && !waitsForShares(word)
  }

  func scheduledIfPossible(_ word: Int) -> Int {
    word & Bits.pending != 0 && canBeScheduled(word) ? word | Bits.scheduled : word
  }

  // MARK: Producers

  func push(_ item: Int, _ t: ModelThread) throws {
    guard try list.append(item, t) else { return }
    if mistake == .announcesOnlyToIdle,
      Bits.isOwned(try t.load(word, .acquire))
    {
      return
    }
    let old = try t.transform(word, orderings[.transition]) {
      scheduledIfPossible($0 | Bits.pending)
    }
    if canBeScheduled(old | Bits.pending) { try schedule(t) }
  }

  func schedule(_ t: ModelThread) throws {
    if let scheduleInTarget { return try scheduleInTarget(t) }
    let old = try t.exchange(drainTask, 1, .release)
    try t.require(old == 0, "the drain task stands in two lists")
  }

  func suspend(_ t: ModelThread) throws {
    try t.transform(word, orderings[.transition]) { $0 + Bits.oneSuspension }
  }

  func resume(_ t: ModelThread) throws {
    let old = try t.transform(word, orderings[.transition]) {
      scheduledIfPossible($0 - Bits.oneSuspension)
    }
    try scheduleIfSet(old, scheduledIfPossible(old - Bits.oneSuspension), t)
  }

  func scheduleIfSet(_ old: Int, _ new: Int, _ t: ModelThread) throws {
    if old & Bits.scheduled == 0 && new & Bits.scheduled != 0 { try schedule(t) }
  }
}
