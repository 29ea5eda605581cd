// Machinery — what the model adds to memory: races, freed locations, futexes and stuck threads.

import Testing

@Suite struct MachineryTests {
  @Test func concurrentPlainAccessesRaceUnlessBothRead() {
    enum Kind: CaseIterable { case read, write }
    for first in Kind.allCases {
      for second in Kind.allCases {
        let verdict = Program { p in
          let data = p.plain("data")
          for (name, kind) in [("first", first), ("second", second)] {
            p.thread(name) { t in
              if kind == .read { t.observe(try t.read(data)) } else { try t.write(1, to: data) }
            }
          }
        }.explored()
        if first == .read && second == .read {
          #expect(verdict.outcomes == [[0, 0]])
        } else {
          #expect(verdict.flaw == .dataRace(on: "data"))
        }
      }
    }
  }

  @Test func aRaceBehindABranchIsFound() {
    let verdict = Program { p in
      let data = p.plain("data"), x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.store(1, to: x, .release)
        if try t.load(y, .acquire) == 0 { try t.write(1, to: data) }
      }
      p.thread("second") { t in
        try t.store(1, to: y, .release)
        if try t.load(x, .acquire) == 0 { try t.write(2, to: data) }
      }
    }.explored()
    #expect(verdict.flaw == .dataRace(on: "data"))
    #expect(verdict.counterexample!.trace.count == 5)
  }

  @Test(arguments: [Ordering.release, .relaxed])
  func freeingNeedsAllAccessesBeforeIt(ordering: Ordering) {
    let verdict = Program { p in
      let object = p.atomic("object", isMortal: true), done = p.atomic("done")
      p.thread("user") { t in
        try t.fetchAdd(object, 1, .relaxed)
        try t.store(1, to: done, ordering)
      }
      p.thread("owner") { t in
        try t.await(done, .equal(1), .acquire)
        try t.free(object)
      }
    }.explored()
    #expect(verdict.flaw == (ordering == .release ? nil : .useAfterFree(of: "object")))
  }

  @Test func anAccessAfterTheFreeIsFound() {
    let verdict = Program { p in
      let object = p.atomic("object", isMortal: true), freed = p.atomic("freed")
      p.thread("owner") { t in
        try t.free(object)
        try t.store(1, to: freed, .release)
      }
      p.thread("user") { t in
        try t.await(freed, .equal(1), .acquire)
        t.observe(try t.load(object, .relaxed))
      }
    }.explored()
    #expect(verdict.flaw == .useAfterFree(of: "object"))
  }

  @Test func wakeBeforeWaitIsNotLostIfTheWordChangedBefore() {
    let verdict = Program { p in
      let word = p.atomic("word")
      p.thread("sleeper") { t in
        while try t.load(word, .relaxed) == 0 { try t.futexWait(word, expected: 0) }
      }
      p.thread("waker") { t in
        try t.store(1, to: word, .relaxed)
        t.observe(try t.futexWake(word))
      }
    }.explored()
    #expect(verdict.holds, "\(verdict)")
    #expect(verdict.outcomes == [[0], [1]])
  }

  @Test func wakeBeforeTheWordChangesIsLost() {
    let verdict = Program { p in
      let word = p.atomic("word")
      p.thread("sleeper") { t in
        while try t.load(word, .relaxed) == 0 { try t.futexWait(word, expected: 0) }
      }
      p.thread("waker") { t in
        try t.futexWake(word)
        try t.store(1, to: word, .relaxed)
      }
    }.explored()
    #expect(verdict.stuckThreads == ["sleeper"])
  }

  @Test func aWakeOfOneLeavesTheOtherAsleep() {
    let verdict = Program { p in
      let word = p.atomic("word")
      for name in ["a", "b"] {
        p.thread(name, mayRemainBlocked: true) { t in
          t.observe(try t.futexWait(word, expected: 0).rawValue)
        }
      }
      p.thread("waker") { t in t.observe(try t.futexWake(word)) }
    }.explored()
    // A thread that still sleeps has observed nothing.
    #expect(verdict.outcomes == [[0], [0, 1]])
  }

  @Test func aWakeOfAllWakesThoseThatSleep() {
    let verdict = Program { p in
      let word = p.atomic("word")
      for name in ["a", "b"] {
        p.thread(name, mayRemainBlocked: true) { t in
          t.observe(try t.futexWait(word, expected: 0).rawValue)
        }
      }
      p.thread("waker") { t in t.observe(try t.futexWake(word, all: true)) }
    }.explored()
    #expect(verdict.outcomes == [[0], [0, 1], [0, 0, 2]])
  }

  @Test func aTimedWaitIsNeverStuck() {
    let verdict = Program { p in
      let word = p.atomic("word")
      p.thread("sleeper") { t in
        t.observe(try t.futexWait(word, expected: 0, canTimeOut: true).rawValue)
      }
    }.explored()
    #expect(verdict.outcomes == [[WaitResult.timedOut.rawValue]])
  }

  @Test func aWakeTellsTheSleeperNothingAboutTheWord() {
    let verdict = Program { p in
      let data = p.plain("data"), word = p.atomic("word")
      p.thread("sleeper", mayRemainBlocked: true) { t in
        if try t.futexWait(word, expected: 0) == .woken { t.observe(try t.read(data)) }
      }
      p.thread("waker") { t in
        try t.write(1, to: data)
        try t.store(1, to: word, .release)
        try t.futexWake(word)
      }
    }.explored()
    #expect(verdict.flaw == .dataRace(on: "data"))
  }

  @Test func twoLocksTakenInOppositeOrderAreStuck() {
    let verdict = Program { p in
      let a = p.atomic("a"), b = p.atomic("b")
      for (name, first, second) in [("one", a, b), ("two", b, a)] {
        p.thread(name) { t in
          while try !t.compareExchange(first, expected: 0, desired: 1, .acquire).exchanged {
            try t.await(first, .equal(0), .relaxed)
          }
          while try !t.compareExchange(second, expected: 0, desired: 1, .acquire).exchanged {
            try t.await(second, .equal(0), .relaxed)
          }
          try t.store(0, to: second, .release)
          try t.store(0, to: first, .release)
        }
      }
    }.explored()
    #expect(verdict.stuckThreads == ["one", "two"])
  }

  @Test func everyChoiceIsExplored() {
    let seen = outcomes { p in
      p.thread("a") { t in t.observe(try t.choose(below: 3), try t.choose(below: 2)) }
    }
    #expect(seen == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]])
  }

  @Test func aFailedRequirementIsReportedWithItsExecution() {
    let verdict = Program { p in
      let x = p.atomic("x")
      p.thread("a") { t in try t.store(1, to: x, .relaxed) }
      p.thread("b") { t in
        let value = try t.load(x, .relaxed)
        try t.require(value == 0, "x is \(value)")
      }
    }.explored()
    #expect(verdict.flaw == .violation("x is 1"))
    #expect(
      verdict.counterexample!.trace
        == ["a: store 1 to x (relaxed)", "b: load x → 1 (relaxed)"])
  }

  @Test func finalRequirementsAreChecked() {
    let verdict = Program { p in
      let x = p.atomic("x")
      for name in ["a", "b"] {
        p.thread(name) { t in try t.store(try t.load(x, .relaxed) + 1, to: x, .relaxed) }
      }
      p.atEnd { end in end[x] == 2 ? nil : "an increment was lost" }
    }.explored()
    #expect(verdict.flaw == .violation("an increment was lost"))
  }

  @Test func sectionsKeepTheirObservationsAndMergeStates() {
    func program(sections: Bool) -> Program {
      Program { p in
        let x = p.atomic("x")
        let guess: ModelThread.Section = { t in
          _ = try t.choose(below: 5)
          t.observe(7)
        }
        let add: ModelThread.Section = { t in try t.fetchAdd(x, 1, .relaxed) }
        if sections {
          p.thread("a", sections: [guess, add])
        } else {
          p.thread("a") { t in
            try guess(t)
            try add(t)
          }
        }
        p.observeAtEnd(x)
      }
    }
    let whole = program(sections: false).explored()
    let cut = program(sections: true).explored()
    #expect(whole.outcomes == [[7, 1]])
    #expect(cut.outcomes == whole.outcomes)
    // The start, then one state for each guess or one for all of them, then the end.
    #expect(whole.states == 1 + 5 + 1)
    #expect(cut.states == 1 + 1 + 1)
  }
}
