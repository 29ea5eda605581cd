// Causality — what one thread learns through another, by release and acquire.
//
// The test names follow J. Alglave, L. Maranget, M. Tautschnig, "Herding Cats" (TOPLAS 2014):
// MP message passing, WRC write-to-read causality, ISA2, S, R, 2+2W, LB load
// buffering.

import Testing

@Suite struct CausalityLitmusTests {
  @Test(arguments: Ordering.ofStores, Ordering.ofLoads)
  func mpNeedsReleaseAndAcquire(store: Ordering, load: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("writer") { t in
        try t.store(1, to: x, .relaxed)
        try t.store(1, to: y, store)
      }
      p.thread("reader") { t in
        t.observe(try t.load(y, load), try t.load(x, .relaxed))
      }
    }
    let strong: Set = [[0, 0], [0, 1], [1, 1]]
    #expect(seen == (store.releases && load.acquires ? strong : strong.union([[1, 0]])))
  }

  @Test(arguments: [Ordering.release, .relaxed], [Ordering.acquire, .relaxed])
  func mpByFencesNeedsBoth(release: Ordering, acquire: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("writer") { t in
        try t.store(1, to: x, .relaxed)
        try t.fence(release)
        try t.store(1, to: y, .relaxed)
      }
      p.thread("reader") { t in
        let first = try t.load(y, .relaxed)
        try t.fence(acquire)
        t.observe(first, try t.load(x, .relaxed))
      }
    }
    let strong: Set = [[0, 0], [0, 1], [1, 1]]
    let isStrong = release == .release && acquire == .acquire
    #expect(seen == (isStrong ? strong : strong.union([[1, 0]])))
  }

  @Test(arguments: Ordering.ofStores, Ordering.ofLoads)
  func mpOfPlainDataRacesWithoutReleaseAndAcquire(store: Ordering, load: Ordering) {
    let verdict = Program { p in
      let data = p.plain("data"), flag = p.atomic("flag")
      p.thread("writer") { t in
        try t.write(42, to: data)
        try t.store(1, to: flag, store)
      }
      p.thread("reader") { t in
        try t.await(flag, .equal(1), load)
        t.observe(try t.read(data))
      }
    }.explored()
    if store.releases && load.acquires {
      #expect(verdict.holds, "\(verdict)")
      #expect(verdict.outcomes == [[42]])
    } else {
      #expect(verdict.flaw == .dataRace(on: "data"))
    }
  }

  @Test(arguments: [Ordering.relaxed, .release], [Ordering.relaxed, .acquire])
  func wrcCausalityPassesThroughAThirdThread(store: Ordering, load: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("writer") { t in try t.store(1, to: x, .relaxed) }
      p.thread("relay") { t in
        t.observe(try t.load(x, .relaxed))
        try t.store(1, to: y, store)
      }
      p.thread("reader") { t in
        t.observe(try t.load(y, load), try t.load(x, .relaxed))
      }
    }
    let isStrong = store == .release && load == .acquire
    #expect(seen.contains([1, 1, 0]) == !isStrong)
    #expect(seen.count == (isStrong ? 7 : 8))
  }

  @Test(arguments: [Ordering.relaxed, .release], [Ordering.relaxed, .acquire])
  func isa2CausalityPassesThroughAChain(store: Ordering, load: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y"), z = p.atomic("z")
      p.thread("first") { t in
        try t.store(1, to: x, .relaxed)
        try t.store(1, to: y, .release)
      }
      p.thread("second") { t in
        t.observe(try t.load(y, load))
        try t.store(1, to: z, store)
      }
      p.thread("third") { t in
        t.observe(try t.load(z, .acquire), try t.load(x, .relaxed))
      }
    }
    let isStrong = store == .release && load == .acquire
    #expect(seen.contains([1, 1, 0]) == !isStrong)
    #expect(seen.isSuperset(of: [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]))
  }

  @Test(arguments: [Ordering.relaxed, .release], [Ordering.relaxed, .acquire])
  func sAWriteThatFollowsAnAcquireComesAfterWhatItAcquired(store: Ordering, load: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.store(2, to: x, .relaxed)
        try t.store(1, to: y, store)
      }
      p.thread("second") { t in
        t.observe(try t.load(y, load))
        try t.store(1, to: x, .relaxed)
      }
      p.observeAtEnd(x)
    }
    let strong: Set = [[0, 1], [0, 2], [1, 1]]
    let isStrong = store == .release && load == .acquire
    #expect(seen == (isStrong ? strong : strong.union([[1, 2]])))
  }

  @Test(arguments: Ordering.ofStores)
  func twoPlusTwoWNeedsSequentialConsistency(store: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.store(1, to: x, store)
        try t.store(2, to: y, store)
      }
      p.thread("second") { t in
        try t.store(1, to: y, store)
        try t.store(2, to: x, store)
      }
      p.observeAtEnd(x, y)
    }
    let strong: Set = [[1, 2], [2, 1], [2, 2]]
    #expect(seen == (store == .sequentiallyConsistent ? strong : strong.union([[1, 1]])))
  }

  /// C++20 allows [1, 1] for relaxed operations, and ARMv8 shows it. The model does not; this
  /// test documents that limit.
  @Test(arguments: Ordering.ofLoads)
  func lbLoadBufferingIsOutsideTheModel(load: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        t.observe(try t.load(x, load))
        try t.store(1, to: y, .relaxed)
      }
      p.thread("second") { t in
        t.observe(try t.load(y, load))
        try t.store(1, to: x, .relaxed)
      }
    }
    #expect(seen == [[0, 0], [0, 1], [1, 0]])
  }

  // MARK: Release sequences

  enum Middle: CaseIterable {
    case update, otherThreadsStore, ownStore
  }

  /// A read-modify-write continues a release sequence whatever its ordering; a store ends it,
  /// even one by the same thread (since C++20).
  @Test(arguments: Middle.allCases)
  func aReleaseSequenceIsContinuedByReadModifyWritesOnly(middle: Middle) {
    let verdict = Program { p in
      let data = p.plain("data"), x = p.atomic("x")
      p.thread("writer") { t in
        try t.write(42, to: data)
        try t.store(1, to: x, .release)
        if middle == .ownStore { try t.store(2, to: x, .relaxed) }
      }
      p.thread("middle") { t in
        switch middle {
        case .update: try t.fetchAdd(x, 1, .relaxed)
        case .otherThreadsStore:
          try t.await(x, .equal(1), .relaxed)
          try t.store(2, to: x, .relaxed)
        case .ownStore: break
        }
      }
      p.thread("reader", mayRemainBlocked: true) { t in
        try t.await(x, .equal(2), .acquire)
        t.observe(try t.read(data))
      }
    }.explored()
    if middle == .update {
      #expect(verdict.holds, "\(verdict)")
      // If the update comes first, the store hides it and no thread ever reads 2.
      #expect(verdict.outcomes == [[42], []])
    } else {
      #expect(verdict.flaw == .dataRace(on: "data"))
    }
  }

  @Test func aReleasingReadModifyWriteKeepsTheHeadOfTheSequence() {
    let verdict = Program { p in
      let first = p.plain("first"), second = p.plain("second"), x = p.atomic("x")
      p.thread("a") { t in
        try t.write(1, to: first)
        try t.fetchAdd(x, 1, .release)
      }
      p.thread("b") { t in
        try t.write(2, to: second)
        try t.fetchAdd(x, 1, .release)
      }
      p.thread("reader") { t in
        try t.await(x, .equal(2), .acquire)
        t.observe(try t.read(first), try t.read(second))
      }
    }.explored()
    #expect(verdict.holds, "\(verdict)")
    #expect(verdict.outcomes == [[1, 2]])
  }
}
