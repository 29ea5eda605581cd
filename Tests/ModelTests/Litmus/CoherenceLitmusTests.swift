// Coherence — each location by itself behaves as if there were one memory.
//
// The test names follow J. Alglave, L. Maranget, S. Sarkar, P. Sewell,
// "Litmus: Running Tests Against Hardware" (TACAS 2011): CoRR is two reads of one
// location in program order, CoWR a write followed by a read, and so on.

import Testing

@Suite struct CoherenceLitmusTests {
  @Test func coRRReadsOfOneLocationNeverGoBack() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      p.thread("writer") { t in
        try t.store(1, to: x, .relaxed)
        try t.store(2, to: x, .relaxed)
      }
      p.thread("reader") { t in
        t.observe(try t.load(x, .relaxed), try t.load(x, .relaxed))
      }
    }
    #expect(seen == [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]])
  }

  @Test func coRR2AllReadersAgreeOnTheOrderOfTwoWriters() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      p.thread("one") { t in try t.store(1, to: x, .relaxed) }
      p.thread("two") { t in try t.store(2, to: x, .relaxed) }
      for name in ["reader", "other reader"] {
        p.thread(name) { t in
          t.observe(try t.load(x, .relaxed), try t.load(x, .relaxed))
        }
      }
    }
    #expect(!seen.contains([1, 2, 2, 1]) && !seen.contains([2, 1, 1, 2]))
    // Each reader may see either order: nine pairs of values, minus the two that return to the
    // start.
    let pairs = Set(seen.map { Array($0.prefix(2)) })
    #expect(pairs == [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 1], [2, 2]])
    // All combinations of such pairs except the two disagreements.
    #expect(seen.count == 7 * 7 - 2)
  }

  @Test func coWWWritesOfOneThreadKeepTheirOrder() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      p.thread("writer") { t in
        try t.store(1, to: x, .relaxed)
        try t.store(2, to: x, .relaxed)
      }
      p.observeAtEnd(x)
    }
    #expect(seen == [[2]])
  }

  @Test func coWWAnotherWriteMayComeBetweenOrAfter() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      p.thread("writer") { t in
        try t.store(1, to: x, .relaxed)
        try t.store(2, to: x, .relaxed)
      }
      p.thread("other") { t in try t.store(3, to: x, .relaxed) }
      p.observeAtEnd(x)
    }
    #expect(seen == [[2], [3]])
  }

  @Test func coWRAThreadNeverReadsBehindItsOwnWrite() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      p.thread("writer") { t in
        try t.store(1, to: x, .relaxed)
        t.observe(try t.load(x, .relaxed))
      }
      p.thread("other") { t in try t.store(2, to: x, .relaxed) }
      p.observeAtEnd(x)
    }
    // Reading 2 and ending with 1 would order the writes both ways.
    #expect(seen == [[1, 1], [1, 2], [2, 2]])
  }

  @Test func coRWAThreadNeverReadsItsOwnLaterWrite() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      p.thread("thread") { t in
        t.observe(try t.load(x, .relaxed))
        try t.store(1, to: x, .relaxed)
      }
      p.thread("other") { t in try t.store(2, to: x, .relaxed) }
      p.observeAtEnd(x)
    }
    // A thread that reads 2 places its own write after it.
    #expect(seen == [[0, 1], [0, 2], [2, 1]])
  }

  @Test(arguments: [Ordering.relaxed, .acquireRelease, .sequentiallyConsistent])
  func readModifyWritesLoseNoIncrement(ordering: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x")
      for name in ["a", "b", "c"] {
        p.thread(name) { t in t.observe(try t.fetchAdd(x, 1, ordering)) }
      }
      p.observeAtEnd(x)
    }
    #expect(
      seen == [
        [0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3], [2, 1, 0, 3],
      ])
  }

  @Test func aLoadAndAStoreLoseAnIncrement() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      for name in ["a", "b"] {
        p.thread(name) { t in
          let value = try t.load(x, .sequentiallyConsistent)
          try t.store(value + 1, to: x, .sequentiallyConsistent)
        }
      }
      p.observeAtEnd(x)
    }
    #expect(seen == [[1], [2]])
  }

  @Test func nothingComesBetweenTheHalvesOfAReadModifyWrite() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      p.thread("updater") { t in t.observe(try t.fetchAdd(x, 10, .relaxed)) }
      p.thread("writer") { t in try t.store(1, to: x, .relaxed) }
      p.observeAtEnd(x)
    }
    // [0, 10] is impossible: the store would have to come between the read and the write.
    #expect(seen == [[0, 1], [1, 11]])
  }

  @Test func ofTwoCompareExchangesExactlyOneSucceeds() {
    let seen = outcomes { p in
      let x = p.atomic("x")
      for value in [1, 2] {
        p.thread("\(value)") { t in
          let result = try t.compareExchange(x, expected: 0, desired: value, .relaxed)
          t.observe(result.exchanged ? 1 : 0, result.original)
        }
      }
      p.observeAtEnd(x)
    }
    #expect(seen == [[1, 0, 0, 1, 1], [0, 2, 1, 0, 2]])
  }
}
