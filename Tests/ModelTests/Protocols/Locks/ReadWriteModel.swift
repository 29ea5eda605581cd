// ReadWriteModel — the model of `SignalboxLocks/ReadWrite/ReaderGate.swift` and of the
// slots in `SignalboxRuntime/Deadlock/ReaderBlock.swift`.
//
// Each reader has one slot here, and an atomic represents the list in which
// a writer finds the slots. Writers have numbers from 1.

enum ReadWriteSite: Site {
  /// A reader fills its slot, marks it as held, empties it, or marks it as waiting.
  case enter, hold, leave, wait
  /// A waiting reader tries again or gives up; it succeeds, or finds that it was let in.
  case enterAgain, enterAgainGranted, giveUpGranted, isGranted
  /// A reader's looks at the gate, and its changes of the gate.
  case isOpen, open, announceReader, hasWaitingWriter
  /// The writer shuts the gate, looks at the slots, and announces that it waits.
  case shut, look, announceWriter
  /// The writer leaves.
  case leaveUnawaited, leaveLook, grant, leaveSlow
  /// A new block, and the writer's look for it.
  case push, first
  /// A block moves from thread to thread.
  case takeFirst, take, giveBack

  var access: Access {
    switch self {
    case .enter, .hold, .leave, .wait, .giveBack: .store
    case .enterAgainGranted, .giveUpGranted, .isGranted, .isOpen, .hasWaitingWriter, .look,
      .leaveLook, .first, .takeFirst:
      .load
    case .enterAgain, .open, .announceReader, .shut, .announceWriter, .leaveUnawaited, .grant,
      .leaveSlow, .push, .take:
      .update
    }
  }

  var ordering: Ordering {
    switch self {
    case .enter, .leave, .enterAgain, .isOpen, .hasWaitingWriter, .shut, .look, .announceWriter,
      .push, .first:
      .sequentiallyConsistent
    case .announceReader: .acquireRelease
    case .hold, .wait, .leaveUnawaited, .grant, .leaveSlow, .giveBack: .release
    case .enterAgainGranted, .giveUpGranted, .isGranted, .leaveLook, .open, .takeFirst, .take:
      .acquire
    }
  }

  var operations: [String] {
    switch self {
    case .enter: ["Deadlock/ReaderBlock.enter:RG1+SH1"]
    case .hold: ["Deadlock/ReaderBlock.hold:SH1"]
    case .leave: ["Deadlock/ReaderBlock.leave:RG3+SH1"]
    case .wait: ["Deadlock/ReaderBlock.wait:SH1"]
    case .enterAgain: ["Deadlock/ReaderBlock.enterAgain:RG1+SH2"]
    case .enterAgainGranted: ["Deadlock/ReaderBlock.enterAgain:RG1+SH2.2"]
    case .giveUpGranted: ["Deadlock/ReaderBlock.giveUp:SH2"]
    case .isGranted: ["Deadlock/ReaderBlock.isGranted:SH2"]
    case .isOpen: ["ReadWrite/ReaderGate.isOpen:RG1+RG2"]
    case .open: ["ReadWrite/ReaderGate.open:RG2"]
    case .announceReader: ["ReadWrite/ReaderGate.announceReader:RG4+RG5"]
    case .hasWaitingWriter: ["ReadWrite/ReaderGate.hasWaitingWriter:RG3"]
    case .shut: ["ReadWrite/ReaderGate.shut:RG1+RG2"]
    case .look: ["Deadlock/ReaderBlock.isReading:RG1+RG3+SH1"]
    case .announceWriter: ["ReadWrite/ReaderGate.announceWriter:RG3"]
    case .leaveUnawaited: ["ReadWrite/ReaderGate.leave:RG2"]
    case .leaveLook: ["ReadWrite/ReaderGate.leaveSlow:RG4"]
    case .grant: ["Deadlock/ReaderBlocks.grant:SH2"]
    case .leaveSlow: ["ReadWrite/ReaderGate.leaveSlow:RG2+RG5"]
    case .push: ["Deadlock/ReaderBlocks.make:RB1"]
    case .first: ["Deadlock/ReaderBlocks.slot:RB1"]
    case .takeFirst: ["Deadlock/ReaderBlocks.take:RB1", "Deadlock/ReaderBlocks.any:RB1"]
    case .take: ["Deadlock/ReaderBlocks.take:RB2"]
    case .giveBack: ["Deadlock/ReaderBlocks.giveBackAll:RB2"]
    }
  }
}

struct ReadWriteModel: Sendable {
  /// Ways to get the lock wrong.
  enum Mistake {
    /// The gate's phase does not change: a reader that was let in sleeps on, because the next
    /// writer has restored the word's old value.
    case noPhase
    /// A reader sleeps without a look whether it was let in.
    case noGrants
    /// A writer that gives up leaves the gate idle, as if it had been in.
    case givesUpIdle
    /// A writer that has slept shuts the gate as if no other writer slept.
    case sleeperShutsUnawaited
    /// A writer looks whether the gate is shut, and then stores that it has shut it.
    case shutsByStore
  }

  enum Gate {
    static let readersWait = 1, overtaken = 2, writerWaits = 4, open = 8, phase = 16
    /// Where the upper half begins: the owner, and a bit that says that another writer waits.
    static let upper = 10
    static let awaited = 1 << 14

    static func isShut(_ gate: Int) -> Bool { gate >> upper != 0 }
    static func isOpen(_ gate: Int) -> Bool { !isShut(gate) && gate & open != 0 }
    static func lowerHalf(_ gate: Int) -> Int { gate & (1 << upper - 1) }
    static func phase(of gate: Int) -> Int { lowerHalf(gate) & ~(phase - 1) }
  }
  enum Slot { static let empty = 0, held = 4, entering = 5, waiting = 6, other = 8 }

  let gate, departures: Atomic
  /// Nil if the writer knows the slots from the beginning.
  let list: Atomic?
  let slots: [Atomic]
  let data: Plain
  let orderings: Orderings<ReadWriteSite>
  var mistake: Mistake?

  /// - Parameters:
  ///   - readers: The number of slots.
  ///   - gate: The state of the gate at the beginning.
  ///   - isListed: Whether the writer knows the slots.
  init(
    _ p: inout Program, readers: Int, gate: Int, isListed: Bool = true,
    _ orderings: Orderings<ReadWriteSite>, _ mistake: Mistake? = nil
  ) {
    self.gate = p.atomic("gate", gate)
    departures = p.atomic("departures")
    list = isListed ? nil : p.atomic("list")
    slots = p.atomics("slot", count: readers)
    data = p.plain("data")
    self.orderings = orderings
    self.mistake = mistake
  }

  // MARK: Readers

  /// - Parameter isOvertaken: Whether the reader has waited for an earlier writer already.
  /// - Returns: Whether the reader is in.
  @discardableResult
  func lockForReading(
    _ slot: Int, _ t: ModelThread, isOvertaken: Bool = true, canTimeOut: Bool = false
  ) throws -> Bool {
    if try tryForReading(slot, t) { return true }
    var first: Int?
    var isWaiting = false
    while true {
      if try !Gate.isShut(t.load(gate, .relaxed)) {
        if isWaiting {
          if try !t.compareExchange(
            slots[slot], expected: Slot.waiting, desired: Slot.entering, orderings[.enterAgain],
            failure: orderings[.enterAgainGranted]
          ).exchanged {
            return true
          }
        } else {
          try t.store(Slot.entering, to: slots[slot], orderings[.enter])
        }
        if try open(t) {
          try t.store(Slot.held, to: slots[slot], orderings[.hold])
          return true
        }
        try leave(slot, t)
        isWaiting = false
      }
      if !isWaiting {
        try t.store(Slot.waiting, to: slots[slot], orderings[.wait])
        isWaiting = true
      }
      let announced: @Sendable (Int) -> Int = { [first] gate in
        let isLate =
          isOvertaken || first.map { Gate.phase(of: $0) != Gate.phase(of: gate) } ?? false
        return gate | Gate.readersWait | (isLate ? Gate.overtaken : 0)
      }
      let old = try t.transform(gate, orderings[.announceReader]) {
        Gate.isShut($0) ? announced($0) : nil
      }
      if !Gate.isShut(old) { continue }
      first = first ?? old
      if mistake != .noGrants, try isGranted(slot, t) { return true }
      let result = try t.futexWait(
        .lower(Gate.upper, of: gate), expected: Gate.lowerHalf(announced(old)),
        canTimeOut: canTimeOut)
      if try isGranted(slot, t) { return true }
      if result == .timedOut {
        return try !t.compareExchange(
          slots[slot], expected: Slot.waiting, desired: Slot.empty, .relaxed,
          failure: orderings[.giveUpGranted]
        ).exchanged
      }
    }
  }

  private func isGranted(_ slot: Int, _ t: ModelThread) throws -> Bool {
    try t.load(slots[slot], orderings[.isGranted]) == Slot.held
  }

  private func open(_ t: ModelThread) throws -> Bool {
    while true {
      if Gate.isOpen(try t.load(gate, orderings[.isOpen])) { return true }
      let old = try t.transform(gate, orderings[.open]) {
        Gate.isShut($0) || $0 & Gate.open != 0 ? nil : $0 | Gate.open
      }
      if Gate.isShut(old) { return false }
      if old & Gate.open == 0 { return true }
    }
  }

  /// Tries only the fast path.
  func tryForReading(_ slot: Int, _ t: ModelThread) throws -> Bool {
    guard Gate.isOpen(try t.load(gate, .relaxed)) else { return false }
    try t.store(Slot.entering, to: slots[slot], orderings[.enter])
    let isIn = Gate.isOpen(try t.load(gate, orderings[.isOpen]))
    if isIn {
      try t.store(Slot.held, to: slots[slot], orderings[.hold])
    } else {
      try leave(slot, t)
    }
    return isIn
  }

  /// Performs a reader's steps before sleep. Returns whether the reader must sleep.
  func announceReader(_ slot: Int, _ t: ModelThread) throws -> Bool {
    try t.store(Slot.waiting, to: slots[slot], orderings[.wait])
    return try Gate.isShut(
      t.transform(gate, orderings[.announceReader]) {
        Gate.isShut($0) ? $0 | Gate.readersWait | Gate.overtaken : nil
      })
  }

  /// Performs a reader's steps up to the end of its first sleep.
  func sleepOnce(_ slot: Int, _ t: ModelThread) throws {
    try t.store(Slot.waiting, to: slots[slot], orderings[.wait])
    let old = try t.transform(gate, orderings[.announceReader]) {
      Gate.isShut($0) ? $0 | Gate.readersWait : nil
    }
    guard Gate.isShut(old) else { return }
    try t.futexWait(
      .lower(Gate.upper, of: gate), expected: Gate.lowerHalf(old | Gate.readersWait))
  }

  func unlockReading(_ slot: Int, _ t: ModelThread) throws { try leave(slot, t) }

  private func leave(_ slot: Int, _ t: ModelThread) throws {
    try t.store(Slot.empty, to: slots[slot], orderings[.leave])
    if try t.load(gate, orderings[.hasWaitingWriter]) & Gate.writerWaits != 0 {
      try t.fetchAdd(departures, 1, .relaxed)
      try t.futexWake(departures)
    }
  }

  /// Uses the reader's slot for another lock, whose gate stays open.
  func readElsewhere(_ slot: Int, _ t: ModelThread) throws {
    try t.store(Slot.other + 1, to: slots[slot], .sequentiallyConsistent)
    try t.store(Slot.other, to: slots[slot], orderings[.hold])
  }

  // MARK: Writers

  /// - Returns: Whether the writer is in.
  @discardableResult
  func lockForWriting(
    _ writer: Int, _ t: ModelThread, canTimeOut: Bool = false
  ) throws -> Bool {
    guard
      let found = try shut(writer, t) ?? waitForTurn(writer, t, canTimeOut: canTimeOut)
    else { return false }
    if found & Gate.open == 0 { return true }
    if let list, try t.load(list, orderings[.first]) == 0 { return true }
    for slot in slots where try isReading(slot, t) {
      if try !waitForReader(slot, t, canTimeOut: canTimeOut) {
        if mistake == .givesUpIdle {
          try unlockWriting(writer, t)
        } else {
          try leaveSlow(t, readersAreIn: true)
        }
        return false
      }
    }
    return true
  }

  /// Returns the gate before; nil if another writer has shut it.
  private func shut(_ writer: Int, _ t: ModelThread, hasSlept: Bool = false) throws -> Int? {
    let isAwaited = hasSlept && mistake != .sleeperShutsUnawaited
    let bits = writer << Gate.upper | (isAwaited ? Gate.awaited : 0)
    let old: Int
    if mistake == .shutsByStore {
      old = try t.load(gate, orderings[.shut].ofLoad)
      if !Gate.isShut(old) { try t.store(old | bits, to: gate, .sequentiallyConsistent) }
    } else {
      old = try t.transform(gate, orderings[.shut]) { Gate.isShut($0) ? nil : $0 | bits }
    }
    return Gate.isShut(old) ? nil : old
  }

  private func waitForTurn(_ writer: Int, _ t: ModelThread, canTimeOut: Bool) throws -> Int? {
    if writersSpin {
      return try t.awaitUpdate(
        gate, .below(1 << Gate.upper), .or(writer << Gate.upper), orderings[.shut])
    }
    while true {
      let result = try sleepForTurn(t, canTimeOut: canTimeOut)
      let found = try shut(writer, t, hasSlept: true)
      if found != nil || result == .timedOut { return found }
    }
  }

  /// Returns nil if the gate is no longer shut.
  func sleepForTurn(_ t: ModelThread, canTimeOut: Bool) throws -> WaitResult? {
    let old = try t.transform(gate, .relaxed) { Gate.isShut($0) ? $0 | Gate.awaited : nil }
    guard Gate.isShut(old) else { return nil }
    return try t.futexWait(
      .upper(from: Gate.upper, of: gate), expected: (old | Gate.awaited) >> Gate.upper,
      canTimeOut: canTimeOut)
  }

  private func waitForReader(_ slot: Atomic, _ t: ModelThread, canTimeOut: Bool) throws -> Bool {
    while true {
      let seen = try t.load(departures, .relaxed)
      try t.fetchOr(gate, Gate.writerWaits, orderings[.announceWriter])
      if try !isReading(slot, t) { return true }
      let result = try t.futexWait(departures, expected: seen, canTimeOut: canTimeOut)
      if result == .timedOut { return try !isReading(slot, t) }
    }
  }

  private func isReading(_ slot: Atomic, _ t: ModelThread) throws -> Bool {
    let value = try t.load(slot, orderings[.look])
    return value == Slot.held || value == Slot.entering
  }

  func unlockWriting(_ writer: Int, _ t: ModelThread) throws {
    let old = try t.load(gate, .relaxed)
    if old >> Gate.upper == writer, old & Gate.readersWait == 0,
      try t.compareExchange(
        gate, expected: old, desired: next(old), orderings[.leaveUnawaited], failure: .relaxed
      ).exchanged
    {
      return
    }
    try leaveSlow(t, readersAreIn: false)
  }

  private func leaveSlow(_ t: ModelThread, readersAreIn: Bool) throws {
    var granted = 0
    while true {
      let old = try t.load(gate, orderings[.leaveLook])
      try grant(old, &granted, t)
      let opens = readersAreIn || old & Gate.readersWait != 0
      let new = opens ? nextPhase(old) | Gate.open : next(old)
      guard
        try t.compareExchange(
          gate, expected: old, desired: new, orderings[.leaveSlow], failure: .relaxed
        ).exchanged
      else { continue }
      if old & Gate.readersWait != 0 { try t.futexWake(.lower(Gate.upper, of: gate), all: true) }
      if old & Gate.awaited != 0 { try t.futexWake(.upper(from: Gate.upper, of: gate)) }
      return
    }
  }

  /// Lets in the readers that wait, if one of them was overtaken.
  private func grant(_ old: Int, _ granted: inout Int, _ t: ModelThread) throws {
    guard old & Gate.overtaken != 0 else { return }
    for slot in slots where try t.load(slot, .relaxed) == Slot.waiting {
      if try t.compareExchange(
        slot, expected: Slot.waiting, desired: Slot.held, orderings[.grant], failure: .relaxed
      ).exchanged {
        granted += 1
      }
    }
    // An overtaken reader that announced its wait keeps waiting until it is let in. This does not hold if
    // waits have limits, and a reader may also announce its wait after it was let in, if it has
    // not noticed yet.
    if Gate.lowerHalf(old) < Gate.phase, !mayGiveUp {
      try t.require(granted > 0, "a reader that waits is not let in")
    }
  }

  /// Whether a writer leaves an open gate open, as most do, rather than idle.
  var keepsOpen = false

  /// Set if the readers' waits have limits.
  var mayGiveUp = false

  /// Set if writers spin until it is their turn, and do not sleep.
  var writersSpin = false

  private func next(_ gate: Int) -> Int {
    nextPhase(gate) | (keepsOpen ? gate & Gate.open : 0)
  }

  private func nextPhase(_ gate: Int) -> Int {
    Gate.phase(of: gate) + (mistake == .noPhase ? 0 : Gate.phase)
  }
}
