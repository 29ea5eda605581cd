// GroupModel — the model of `SignalboxDispatch/Coordination/GroupCore.swift`.

enum GroupSite: Site {
  case leave
  /// A waiter's first look, its look before it announces itself, its announcement that fails
  /// because the group has become empty, and its look after a sleep.
  case lookIfEmpty, lookBeforeWaiting, failToAnnounceWaiter, lookAfterSleep
  /// A notifier's look, and its announcement that fails because the group has become empty.
  case lookBeforeNotice, failToAnnounceNotice

  var access: Access {
    switch self {
    case .leave: .update
    default: .load
    }
  }

  var ordering: Ordering {
    switch self {
    case .leave: .acquireRelease
    default: .acquire
    }
  }

  var operations: [String] {
    switch self {
    case .leave: ["Coordination/GroupCore.leave:GC1+GC2"]
    case .lookIfEmpty: ["Coordination/GroupCore.wait:GC2"]
    case .lookBeforeWaiting: ["Coordination/GroupCore.announceWaiter:GC2"]
    case .failToAnnounceWaiter: ["Coordination/GroupCore.announceWaiter:GC2.2"]
    case .lookAfterSleep: ["Coordination/GroupCore.waitSlow:GC2"]
    case .lookBeforeNotice: ["Coordination/GroupCore.announceNotice:GC1"]
    case .failToAnnounceNotice: ["Coordination/GroupCore.announceNotice:GC1.2"]
    }
  }
}

struct GroupModel: Sendable {
  /// Ways to get the group wrong.
  enum Mistake {
    /// The last leave clears the flags but does not advance the generation.
    case generationStays
    /// The thread that empties the group submits every notice that it finds.
    case generationIsIgnored
    /// A notice is put into the list before the lock is taken for it.
    case noticeOutsideTheLock
  }

  enum Bits {
    static let waiters = 1
    static let notices = 2
    static let oneMember = 4
    static let membersMask = 0x3C
    static let generationShift = 8
    static let oneGeneration = 1 << generationShift
  }

  let word: Atomic
  let lock: Atomic
  /// For each notice: 0, or its generation plus one while it is in the list.
  let notices: [Plain]
  /// How often each notice was submitted.
  let submitted: [Plain]
  /// What each member did.
  let work: [Plain]
  let orderings: Orderings<GroupSite>
  var mistake: Mistake?

  init(
    _ p: inout Program, members: Int, works: Int, notices count: Int,
    _ orderings: Orderings<GroupSite>, _ mistake: Mistake? = nil
  ) {
    word = p.atomic("word", members * Bits.oneMember)
    lock = p.atomic("lock")
    notices = (0..<count).map { p.plain("notice \($0)") }
    submitted = (0..<count).map { p.plain("submissions of notice \($0)") }
    work = (0..<works).map { p.plain("work \($0)") }
    self.orderings = orderings
    self.mistake = mistake
  }

  func enter(_ t: ModelThread) throws {
    try t.fetchAdd(word, Bits.oneMember, .relaxed)
  }

  func leave(_ t: ModelThread) throws {
    let advance = mistake == .generationStays ? 0 : Bits.oneGeneration
    let old = try t.transform(word, orderings[.leave]) { old in
      let new = old - Bits.oneMember
      return empties(old) ? (new & ~(Bits.waiters | Bits.notices)) + advance : new
    }
    guard empties(old) else { return }
    if old & Bits.waiters != 0 {
      try t.futexWake(.upper(from: Bits.generationShift, of: word), all: true)
    }
    if old & Bits.notices != 0 {
      try submitNotices(of: old >> Bits.generationShift, t)
    }
  }

  private func empties(_ old: Int) -> Bool {
    (old - Bits.oneMember) & Bits.membersMask == 0
      && old & (Bits.waiters | Bits.notices) != 0
  }

  /// Returns whether the group became empty.
  func wait(_ t: ModelThread, timed: Bool = false) throws -> Bool {
    let first = try t.load(word, orderings[.lookIfEmpty])
    if first & Bits.membersMask == 0 { return true }
    if try t.load(word, orderings[.lookBeforeWaiting]) & Bits.membersMask == 0 { return true }
    let old = try t.transform(word, .relaxed, failure: orderings[.failToAnnounceWaiter]) {
      $0 & Bits.membersMask == 0 ? nil : $0 | Bits.waiters
    }
    if old & Bits.membersMask == 0 { return true }
    let generation = old >> Bits.generationShift
    while true {
      let outcome = try t.futexWait(
        .upper(from: Bits.generationShift, of: word), expected: generation, canTimeOut: timed)
      let now = try t.load(word, orderings[.lookAfterSleep])
      if now >> Bits.generationShift != generation { return true }
      if outcome == .timedOut { return false }
    }
  }

  /// Submits `notice` when the group is empty; the notice then reads `works`.
  func notify(_ notice: Int, _ t: ModelThread) throws {
    if mistake != .noticeOutsideTheLock { try t.lock(lock) }
    var old = try t.load(word, orderings[.lookBeforeNotice])
    if old & Bits.membersMask != 0 {
      old = try t.transform(word, .relaxed, failure: orderings[.failToAnnounceNotice]) {
        $0 & Bits.membersMask == 0 ? nil : $0 | Bits.notices
      }
    }
    if mistake == .noticeOutsideTheLock { try t.lock(lock) }
    if old & Bits.membersMask == 0 {
      try t.unlock(lock)
      return try submit(notice, t)
    }
    try t.write((old >> Bits.generationShift) + 1, to: notices[notice])
    try t.unlock(lock)
  }

  private func submitNotices(of generation: Int, _ t: ModelThread) throws {
    var due: [Int] = []
    try t.lock(lock)
    for notice in notices.indices {
      let set = try t.read(notices[notice])
      if set != 0, mistake == .generationIsIgnored || set - 1 <= generation {
        try t.write(0, to: notices[notice])
        due.append(notice)
      }
    }
    try t.unlock(lock)
    for notice in due { try submit(notice, t) }
  }

  /// A notice runs: it sees the work of the members that it was set after.
  private func submit(_ notice: Int, _ t: ModelThread) throws {
    try t.write(try t.read(submitted[notice]) + 1, to: submitted[notice])
    if notice < work.count { try sees(notice, t) }
  }

  /// Checks that a piece of work is done and visible.
  func sees(_ index: Int, _ t: ModelThread) throws {
    let done = try t.read(work[index])
    try t.require(done == 1, "work \(index) is not done")
  }

  func does(_ index: Int, _ t: ModelThread) throws {
    try t.write(1, to: work[index])
  }
}
