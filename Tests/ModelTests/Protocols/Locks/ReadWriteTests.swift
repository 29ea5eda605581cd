// ReadWriteTests — the read–write lock keeps readers and a writer apart, no thread sleeps
// forever, and a waiting reader enters before the next writer.

import Testing

@Suite struct ReadWriteTests {
  private typealias Model = ReadWriteModel

  private static func read(
    _ lock: Model, _ slot: Int, isOvertaken: Bool = true
  ) -> ModelThread.Section {
    { t in
      try lock.lockForReading(slot, t, isOvertaken: isOvertaken)
      _ = try t.read(lock.data)
      try lock.unlockReading(slot, t)
    }
  }

  private static func write(_ lock: Model, _ writer: Int = 1) -> ModelThread.Section {
    { t in
      try lock.lockForWriting(writer, t)
      try t.write(try t.read(lock.data) + 1, to: lock.data)
      try lock.unlockWriting(writer, t)
    }
  }

  private static func isAtRest(_ lock: Model, _ end: FinalState, writes: Int) -> String? {
    let isEmpty = lock.slots.allSatisfy { end[$0] == Model.Slot.empty || end[$0] > 7 }
    return isEmpty && !Model.Gate.isShut(end[lock.gate]) && end[lock.data] == writes
      ? nil : "gate \(end[lock.gate]), slots \(lock.slots.map { end[$0] }), data \(end[lock.data])"
  }

  // MARK: Scenarios

  private func readerAndWriter(
    gate: Int, writes: Int = 1, reads: Int = 1, isOvertaken: Bool = true
  ) -> Scenario<ReadWriteSite> {
    Scenario("\(reads) reads, \(writes) writes, gate \(gate), \(isOvertaken)") { p, orderings in
      let lock = Model(&p, readers: 1, gate: gate, orderings)
      let read = Self.read(lock, 0, isOvertaken: isOvertaken)
      p.thread("reader", sections: Array(repeating: read, count: reads))
      p.thread("writer", sections: Array(repeating: Self.write(lock), count: writes))
      p.atEnd { end in Self.isAtRest(lock, end, writes: writes) }
    }
  }

  /// The writer leaves the gate open behind it, and the reader enters by a look.
  private var leftOpen: Scenario<ReadWriteSite> {
    Scenario("a gate left open") { p, orderings in
      var lock = Model(&p, readers: 1, gate: Model.Gate.open, orderings)
      lock.keepsOpen = true
      p.thread("reader", Self.read(lock, 0, isOvertaken: false))
      p.thread("writer", Self.write(lock))
      p.atEnd { [lock] end in Self.isAtRest(lock, end, writes: 1) }
    }
  }

  /// One writer may let a waiting reader in while another writer arrives.
  private func twoWriters(mistake: Model.Mistake? = nil) -> Scenario<ReadWriteSite> {
    Scenario("a reader between two writers") { p, orderings in
      var lock = Model(&p, readers: 1, gate: 0, orderings, mistake)
      lock.writersSpin = true
      p.thread("reader", Self.read(lock, 0))
      for (index, name) in ["one", "two"].enumerated() {
        p.thread(name, Self.write(lock, index + 1))
      }
      p.atEnd { [lock] end in Self.isAtRest(lock, end, writes: 2) }
    }
  }

  /// A reader and a writer sleep behind a writer, each on its half of the word.
  private func bothSleep(mistake: Model.Mistake? = nil) -> Scenario<ReadWriteSite> {
    Scenario("a reader and a writer behind a writer") { p, orderings in
      let lock = Model(&p, readers: 1, gate: 1 << Model.Gate.upper, orderings, mistake)
      p.thread("reader") { t in try lock.sleepOnce(0, t) }
      p.thread("next") { t in _ = try lock.sleepForTurn(t, canTimeOut: false) }
      p.thread("writer") { t in try lock.unlockWriting(1, t) }
    }
  }

  /// One reader waits, so the writer opens the gate; another reader enters through it.
  private var openedForAnother: Scenario<ReadWriteSite> {
    Scenario("a gate opened for another reader") { p, orderings in
      let lock = Model(&p, readers: 2, gate: 0, orderings)
      p.thread("waits") { t in _ = try lock.announceReader(0, t) }
      p.thread("comes") { t in
        guard try lock.tryForReading(1, t) else { return }
        _ = try t.read(lock.data)
        try lock.unlockReading(1, t)
      }
      p.thread("writer", Self.write(lock))
    }
  }

  /// The reader's slot refers to another lock when the writer looks.
  private var slotUsedAgain: Scenario<ReadWriteSite> {
    Scenario("a slot used for another lock") { p, orderings in
      let lock = Model(&p, readers: 1, gate: Model.Gate.open, orderings)
      p.thread("reader") { t in
        try Self.read(lock, 0)(t)
        try lock.readElsewhere(0, t)
      }
      p.thread("writer", Self.write(lock))
      p.atEnd { end in Self.isAtRest(lock, end, writes: 1) }
    }
  }

  /// The reader gets a block while the writer walks the list.
  private var newBlock: Scenario<ReadWriteSite> {
    Scenario("a new block") { p, orderings in
      let lock = Model(&p, readers: 1, gate: Model.Gate.open, isListed: false, orderings)
      p.thread("reader") { t in
        _ = try t.compareExchange(
          lock.list!, expected: 0, desired: 1, orderings[.push], failure: .relaxed)
        try Self.read(lock, 0)(t)
      }
      p.thread("writer", Self.write(lock))
      p.atEnd { end in Self.isAtRest(lock, end, writes: 1) }
    }
  }

  /// A thread makes a block, uses it and ends; another thread takes the block.
  private var blockUsedAgain: Scenario<ReadWriteSite> {
    Scenario("a block used again") { p, orderings in
      let list = p.atomic("list")
      let owner = p.atomic("owner", 1)
      let following = p.plain("following")
      let depth = p.plain("depth")
      p.thread("first") { t in
        try t.write(7, to: following)
        _ = try t.compareExchange(list, expected: 0, desired: 1, orderings[.push])
        try t.write(1, to: depth)
        try t.write(0, to: depth)
        try t.store(0, to: owner, orderings[.giveBack])
      }
      p.thread("second") { t in
        guard try t.load(list, orderings[.takeFirst]) != 0 else { return }
        _ = try t.read(following)
        guard
          try t.compareExchange(
            owner, expected: 0, desired: 2, orderings[.take], failure: .relaxed
          ).exchanged
        else { return }
        let found = try t.read(depth)
        try t.require(found == 0, "the depth is \(found)")
        try t.write(1, to: depth)
      }
    }
  }

  /// The reader may time out just as it is let in.
  private func limits(gate: Int) -> Scenario<ReadWriteSite> {
    Scenario("a reader that gives up, gate \(gate)") { p, orderings in
      var lock = Model(&p, readers: 1, gate: gate, orderings)
      lock.mayGiveUp = true
      p.thread("reader") { [lock] t in
        guard try lock.lockForReading(0, t, canTimeOut: true) else { return t.observe(0) }
        _ = try t.read(lock.data)
        try lock.unlockReading(0, t)
        t.observe(1)
      }
      p.thread("writer", Self.write(lock))
      p.atEnd { [lock] end in Self.isAtRest(lock, end, writes: 1) }
    }
  }

  /// The first writer may give up, and a second one arrives.
  private func writerGivesUp(mistake: Model.Mistake? = nil) -> Scenario<ReadWriteSite> {
    Scenario("a writer that gives up") { p, orderings in
      let lock = Model(&p, readers: 1, gate: Model.Gate.open, orderings, mistake)
      p.thread("reader", Self.read(lock, 0))
      p.thread(
        "writer",
        sections: [
          { t in
            guard try lock.lockForWriting(1, t, canTimeOut: true) else { return }
            try t.write(0, to: lock.data)
            try lock.unlockWriting(1, t)
          }, Self.write(lock),
        ])
      p.atEnd { end in Self.isAtRest(lock, end, writes: 1) }
    }
  }

  /// Writers alone. Some of them may give up before it is their turn.
  private func writers(
    _ count: Int, gate: Int = 0, timed: Set<Int> = [], mistake: Model.Mistake? = nil
  ) -> Scenario<ReadWriteSite> {
    Scenario("\(count) writers, gate \(gate), timed \(timed)") { p, orderings in
      let lock = Model(&p, readers: 0, gate: gate, orderings, mistake)
      let written = p.atomic("written")
      for writer in 1...count {
        p.thread("\(writer)") { t in
          guard
            try lock.lockForWriting(writer, t, canTimeOut: timed.contains(writer))
          else { return }
          try t.write(try t.read(lock.data) + 1, to: lock.data)
          try t.fetchAdd(written, 1, .relaxed)
          try lock.unlockWriting(writer, t)
        }
      }
      p.atEnd { end in
        Self.isAtRest(lock, end, writes: timed.isEmpty ? count : end[written])
      }
    }
  }

  private var scenarios: [Scenario<ReadWriteSite>] {
    [
      readerAndWriter(gate: 0), readerAndWriter(gate: Model.Gate.open),
      readerAndWriter(gate: 0, writes: 2), readerAndWriter(gate: Model.Gate.open, reads: 2),
      readerAndWriter(gate: 0, isOvertaken: false),
      readerAndWriter(gate: 0, writes: 2, isOvertaken: false), leftOpen,
      openedForAnother, slotUsedAgain, newBlock, blockUsedAgain, limits(gate: 0), writerGivesUp(),
      twoWriters(), bothSleep(), writers(2), writers(3),
    ]
  }

  @Test func readersAndWritersExcludeEachOtherAndNoneSleepsForever() {

    expectHolds(scenarios)
  }

  @Test func aReaderThatGivesUpIsInOrOut() {
    let verdict = limits(gate: 0).program(.asBuilt).explored()
    #expect(verdict.outcomes == [[0], [1]])
  }

  /// A writer that gives up must not consume the wake that another writer needs.
  @Test func aWriterThatGivesUpItsTurnLeavesTheOthersTheirWake() {
    expectHolds([writers(2, timed: [2]), writers(3, timed: [2])])
  }

  @Test func everyOrderingOfTheReadWriteLockIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  // MARK: Mistakes

  @Test func withoutAPhaseAnAdmittedReaderSleeps() {
    let verdict = twoWriters(mistake: .noPhase).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  @Test func aSleeperThatShutsTheGateUnawaitedForgetsAnother() {
    let verdict = writers(3, mistake: .sleeperShutsUnawaited).program(.asBuilt).explored()
    #expect(verdict.stuckThreads != nil, "\(verdict)")
  }

  @Test func shuttingTheGateInTwoStepsAdmitsTwoWriters() {
    let verdict = writers(2, mistake: .shutsByStore).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  @Test func withoutCheckingItsSlotAnAdmittedReaderSleeps() {
    let verdict = twoWriters(mistake: .noGrants).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  @Test func aWriterThatGivesUpAndLeavesTheGateIdleForgetsTheReaders() {
    let verdict = writerGivesUp(mistake: .givesUpIdle).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }

  /// The reader holds the lock through its second slot, then takes it through the first slot
  /// too, leaves the second, and still reads. The writer looked at the first slot before that
  /// and at the second slot after it.
  @Test func aWriterThatScansInBetweenMissesASecondSlot() {
    let program = Program { p in
      let lock = Model(&p, readers: 2, gate: Model.Gate.open, .asBuilt)
      p.thread("reader") { t in
        try lock.lockForReading(1, t)
        try t.store(Model.Slot.held, to: lock.slots[0], .sequentiallyConsistent)
        try lock.unlockReading(1, t)
        _ = try t.read(lock.data)
        try lock.unlockReading(0, t)
      }
      p.thread("writer", Self.write(lock))
    }
    let verdict = program.explored()
    #expect(!verdict.holds, "\(verdict)")
  }
}
