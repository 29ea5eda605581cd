// QueueStateModel — the model of `SignalboxDispatch/Queue/QueueState.swift`, its
// transitions, and of what an owner does in `DispatchQueue+Serving.swift`.
//
// The word has fewer bits here for its counts; the names are the same. A queue is
// serial if no set of barriers is given.

enum QueueSite: Site {
  /// The fast paths' compare-and-swaps.
  case take, giveUp, share, unshare
  /// Every other change of the word.
  case transition
  /// An owner's look at the word before it runs an item alone.
  case lookForShares
  /// A granter's exchange of a waiter's word, and the waiter's looks at it.
  case grant, loadGranted, failToSleep

  var access: Access {
    switch self {
    case .take, .giveUp, .share, .unshare, .transition, .grant: .update
    case .lookForShares, .loadGranted, .failToSleep: .load
    }
  }

  var ordering: Ordering {
    switch self {
    case .take, .share: .acquire  // QS1
    case .giveUp, .unshare: .release  // QS1
    case .transition: .acquireRelease  // QS1, QS2
    case .lookForShares: .acquire  // QS1
    case .grant: .acquireRelease  // SW1
    case .loadGranted, .failToSleep: .acquire  // SW1
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

  static func canBeEnlisted(_ word: Int) -> Bool {
    !isOwned(word) && word & (halted | enlisted) == 0
      && !(word & gated != 0 && hasShared(word))
  }

  static func enlistedIfPossible(_ word: Int) -> Int {
    word & pending != 0 && canBeEnlisted(word) ? word | enlisted : word
  }
}

struct QueueModel: Sendable {
  /// Ways to get it wrong.
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
    /// been granted a share meanwhile.
    case grantNotLookedFor
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

  init(
    _ p: inout Program, items: Int, barriers: Set<Int>? = nil, waiters: [Int] = [],
    turnsEnd: Bool = false, _ orderings: Orderings<QueueSite>, _ mistake: Mistake? = nil
  ) {
    word = p.atomic("word")
    invitation = p.atomic("invitation")
    list = ItemListModel(&p, items: items, .asBuilt)
    self.orderings = orderings
    self.mistake = mistake
    isSerial = barriers == nil
    self.turnsEnd = turnsEnd
    self.barriers = barriers ?? []
    self.waiters = Dictionary(
      uniqueKeysWithValues: waiters.map { item in
        (item, Waiter(thread: 10 + item, word: p.atomic("waiter \(item)", isMortal: true)))
      })
    ran = (1...items).map { p.plain("runs of item \($0)") }
    guarded = p.plain("guarded by the queue")
  }

  /// What is wrong at the end: items left, or a state that is not idle.
  func leftovers(_ end: FinalState) -> String? {
    for (index, runs) in ran.enumerated() where end[runs] != 1 {
      return "item \(index + 1) ran \(end[runs]) times"
    }
    return end[word] == 0 && end[list.tail] == 0 ? nil : "the word is \(end[word])"
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
      Bits.enlistedIfPossible($0 | Bits.pending)
    }
    if Bits.canBeEnlisted(old | Bits.pending) { try enlist(t) }
  }

  func enlist(_ t: ModelThread) throws {
    let old = try t.exchange(invitation, 1, .release)
    try t.require(old == 0, "the invitation stands in two lists")
  }

  func suspend(_ t: ModelThread) throws {
    try t.transform(word, orderings[.transition]) { $0 + Bits.oneSuspension }
  }

  func resume(_ t: ModelThread) throws {
    let old = try t.transform(word, orderings[.transition]) {
      Bits.enlistedIfPossible($0 - Bits.oneSuspension)
    }
    try enlistIfSet(old, Bits.enlistedIfPossible(old - Bits.oneSuspension), t)
  }

  private func enlistIfSet(_ old: Int, _ new: Int, _ t: ModelThread) throws {
    if old & Bits.enlisted == 0 && new & Bits.enlisted != 0 { try enlist(t) }
  }

  // MARK: Workers

  /// Waits for the invitation and serves.
  func serveInvited(_ thread: Int, _ t: ModelThread) throws {
    try t.awaitExchange(invitation, 1, 0, .acquire)
    if mistake == .ownershipByStore {
      let old = try t.load(word, .acquire)
      if Bits.isOwned(old) {
        try t.transform(word, orderings[.transition]) { $0 & ~Bits.enlisted }
        return
      }
      try t.store(thread, to: word, .sequentiallyConsistent)
    } else {
      let old = try t.transform(word, orderings[.transition]) { old in
        let arrived = old & ~Bits.enlisted
        return Bits.isOwned(arrived) || arrived & Bits.halted != 0
          ? arrived : Bits.owned(arrived, by: thread)
      }
      if Bits.isOwned(old) || old & Bits.halted != 0 { return }
    }
    try serve(thread, t)
  }

  /// Goes through the list. The thread owns the queue, and then no more.
  func serve(_ thread: Int, handingOn: Bool = false, _ t: ModelThread) throws {
    while true {
      let item = try list.first(t)
      if item == 0 {
        if try finish(t) { return }
        continue
      }
      let now = try t.load(word, orderings[.lookForShares])
      if now & Bits.halted != 0 { return try leave(t) }
      if isSerial || barriers.contains(item) {
        if Bits.hasShared(now) {
          let old = try t.transform(word, orderings[.transition]) {
            Bits.hasShared($0) ? $0 & ~Bits.ownerMask | Bits.pending | Bits.gated : nil
          }
          if Bits.hasShared(old) { return }
          continue
        }
        if let waiter = waiters[item] { return try grant(item, waiter, t) }
        if handingOn { return try leave(t) }
        try list.removeFirst(item, t)
        try runAlone(item, t)
        if turnsEnd, try t.choose(below: 2) == 1 { return try leave(t) }
      } else {
        if let waiter = waiters[item] {
          try grantShared(item, waiter, t)
          continue
        }
        if handingOn { return try leave(t) }
        let more = try list.removeFirst(item, t) != 0
        let become: @Sendable (Int) -> Int = { old in
          let new = old & ~Bits.ownerMask + Bits.oneShared
          return Bits.enlistedIfPossible(more ? new | Bits.pending : new)
        }
        let old = try t.transform(word, orderings[.transition], become)
        try enlistIfSet(old, become(old), t)
        try runShared(item, t)
        guard try leaveShared(thread, t) else { return }
      }
    }
  }

  /// The list looks empty. Returns whether the owner has left.
  private func finish(_ t: ModelThread) throws -> Bool {
    let leavesRegardless = mistake == .leavesRegardless
    let old = try t.transform(word, orderings[.transition]) { old in
      old & Bits.pending != 0 && !leavesRegardless
        ? old & ~Bits.pending : old & ~(Bits.ownerMask | Bits.pending)
    }
    return old & Bits.pending == 0 || leavesRegardless
  }

  /// The owner leaves; the list may hold items.
  private func leave(_ t: ModelThread) throws {
    let change: @Sendable (Int) -> Int = {
      Bits.enlistedIfPossible($0 & ~Bits.ownerMask | Bits.pending)
    }
    let old = try t.transform(word, orderings[.transition], change)
    try enlistIfSet(old, change(old), t)
  }

  /// Returns whether the thread is now the owner.
  func leaveShared(_ thread: Int, _ t: ModelThread) throws -> Bool {
    let serves: @Sendable (Int) -> Bool = { old in
      let left = old - Bits.oneShared
      return left & Bits.pending != 0 && !Bits.isOwned(left) && left & Bits.halted == 0
        && !(left & Bits.gated != 0 && Bits.hasShared(left))
    }
    let old = try t.transform(word, orderings[.transition]) { old in
      let left = old - Bits.oneShared
      return serves(old) ? Bits.owned(left, by: thread) : left
    }
    return serves(old)
  }

  // MARK: Items

  private func runAlone(_ item: Int, _ t: ModelThread) throws {
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
