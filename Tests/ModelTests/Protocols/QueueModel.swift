// QueueModel — the model of `SignalboxDispatch/Queue/QueueState.swift` and of those who
// bring items: producers. Those who serve, and those who wait for their turn, are in
// the other files of this name.
//
// The word has fewer bits here for its counts; the names are the same. A queue is
// serial if no set of barriers is given.

enum QueueSite: Site {
  /// The fast paths' compare-and-swaps.
  case take, giveUp, share, unshare
  /// Every other change of the word.
  case transition
  /// A thread's look at the list before it takes a queue that looks idle.
  case lookAtList
  /// An owner's look at the word before it runs an item alone, and before its own turn.
  case lookForShares, lookBeforeTurn
  /// A granter's exchange of a waiter's word, and the waiter's looks at it: the first
  /// when it has taken the queue, the others when it has not.
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

  var places: [String] {
    switch self {
    case .take: ["Queue/QueueState.tryTake:QS1"]
    case .giveUp: ["Queue/QueueState.tryGiveUp:QS1"]
    case .share: ["Queue/QueueState.tryShare:QS1"]
    case .unshare: ["Queue/QueueState.tryUnshare:QS1"]
    case .transition: ["Queue/QueueState.transition:QS1+QS2"]
    case .lookAtList: ["Pool/ItemList.isEmpty:IL3"]
    case .lookForShares, .lookBeforeTurn: ["Queue/QueueState.ownersSnapshot:QS1"]
    case .grant: ["Queue/SyncWaiter.wake:SW1"]
    case .lookForGrant: ["Queue/SyncWaiter.wait:SW1"]
    case .lookAwake: ["Queue/SyncWaiter.sleep:SW1"]
    case .failToSleep: ["Queue/SyncWaiter.sleep:SW1.2"]
    case .lookAfterSleep: ["Queue/SyncWaiter.sleep:SW1.3"]
    }
  }
}

/// The word's bits.
enum QueueBits {
  static let ownerMask = 0xFF
  static let oneShared = 1 << 8
  static let sharedMask = 0xF << 8
  static let pending = 1 << 12
  static let enlisted = 1 << 13
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
  /// Ways to do it otherwise: all wrong, but `grantNotLookedFor`.
  enum Mistake {
    /// The invitation takes ownership by a plain store over `pending`.
    case ownershipByStore
    /// An owner leaves without a look at `pending`.
    case leavesRegardless
    /// A producer that finds the list empty relies on an owner it has seen.
    case announcesOnlyToIdle
    /// A waiter that finds itself the owner believes that it took the queue, when
    /// it may have been granted to it meanwhile.
    case grantTakenForOwn
    /// A waiter that took the queue believes itself in the list, when it may have
    /// been granted a share meanwhile. It comes to the same.
    case grantNotLookedFor
    /// A waiter takes the queue to serve those before it though another owns it.
    case takesThoughOwned
    /// A waiter that must run alone has come to its place and does not look whether
    /// others still run.
    case sharesNotLookedFor
    /// A waiter that has come to its place does not note that there are some behind it.
    case forgetsThoseBehind
    /// The fast path takes an idle queue without a look at its list.
    case listNotLookedAt
    /// An owner that finds the queue full leaves without a look whether a share has been
    /// given up meanwhile.
    case leavesFullRegardless
    /// A thread that gives up a share of a full queue takes it for one that others serve.
    case fullTakenForServed
    /// An invitation finds the queue owned by its own thread, and believes that this was
    /// its doing.
    case ownTurnTakenForInvited
  }

  typealias Bits = QueueBits

  let word: Atomic
  let list: ItemListModel
  /// The invitation, on its way through the pool.
  let invitation: Atomic
  let orderings: Orderings<QueueSite>
  var mistake: Mistake?
  /// The items that run alone, and the bits of those that have run.
  let barriers: Set<Int>
  let isSerial: Bool
  /// An owner may leave after any item, because others wait for its worker.
  let turnsEnd: Bool
  let ran: [Plain]
  /// The items that are threads waiting in sync, and their words.
  let waiters: [Int: Waiter]
  /// Written by every item that runs alone, read by those that do not.
  let guarded: Plain
  /// Whether a thread that waits may run the items before it: not the main thread, and
  /// not if the queue has a target.
  var mayAdvance = true
  /// Leaves out how waiters fall asleep, so that there may be more of them.
  var waitersStayAwake = false
  /// The most shares that the word counts, in its place.
  var full = Bits.sharedMask
  /// Brings the invitation to the queue's target; nil: to the pool.
  var enlistInTarget: ModelThread.Section?
  /// The items that are invitations of queues which have this one as their target, and
  /// what runs when a thread comes to them.
  var invited: [Int: @Sendable (_ thread: Int, ModelThread) throws -> Void] = [:]

  init(
    _ p: inout Program, named name: String = "", _ initial: Int = 0, items: Int,
    barriers: Set<Int>? = nil, waiters: [Int] = [], turnsEnd: Bool = false,
    _ orderings: Orderings<QueueSite>, _ mistake: Mistake? = nil
  ) {
    word = p.atomic("\(name)word", initial)
    invitation = p.atomic("\(name)invitation")
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

  /// What is wrong at the end: items left, or a state that is not idle.
  func leftovers(_ end: FinalState) -> String? {
    for (index, runs) in ran.enumerated() where end[runs] != 1 {
      if invited[index + 1] == nil { return "item \(index + 1) ran \(end[runs]) times" }
    }
    return end[word] == 0 && end[list.tail] == 0 ? nil : "the word is \(end[word])"
  }

  // MARK: The word

  func isFull(_ word: Int) -> Bool { word & Bits.sharedMask == full }

  func waitsForShares(_ word: Int) -> Bool {
    word & Bits.gated != 0 && Bits.hasShared(word) || isFull(word)
  }

  func canBeEnlisted(_ word: Int) -> Bool {
    !Bits.isOwned(word) && word & (Bits.halted | Bits.enlisted) == 0 && !waitsForShares(word)
  }

  func enlistedIfPossible(_ word: Int) -> Int {
    word & Bits.pending != 0 && canBeEnlisted(word) ? word | Bits.enlisted : word
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
      enlistedIfPossible($0 | Bits.pending)
    }
    if canBeEnlisted(old | Bits.pending) { try enlist(t) }
  }

  func enlist(_ t: ModelThread) throws {
    if let enlistInTarget { return try enlistInTarget(t) }
    let old = try t.exchange(invitation, 1, .release)
    try t.require(old == 0, "the invitation stands in two lists")
  }

  func suspend(_ t: ModelThread) throws {
    try t.transform(word, orderings[.transition]) { $0 + Bits.oneSuspension }
  }

  func resume(_ t: ModelThread) throws {
    let old = try t.transform(word, orderings[.transition]) {
      enlistedIfPossible($0 - Bits.oneSuspension)
    }
    try enlistIfSet(old, enlistedIfPossible(old - Bits.oneSuspension), t)
  }

  func enlistIfSet(_ old: Int, _ new: Int, _ t: ModelThread) throws {
    if old & Bits.enlisted == 0 && new & Bits.enlisted != 0 { try enlist(t) }
  }
}
