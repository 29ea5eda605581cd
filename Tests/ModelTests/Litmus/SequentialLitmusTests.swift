// Sequential consistency — seq_cst operations and fences, and their limits.
//
// SB store buffering (Dekker), IRIW independent reads of independent writes, RWC
// read-to-write causality, R, W+RWC: "Herding Cats" (TOPLAS 2014). Z6.U: "Repairing
// Sequential Consistency in C/C++11" (PLDI 2017).

import Testing

@Suite struct SequentialLitmusTests {
  private func storeBuffering(
    _ store: Ordering, _ load: Ordering, _ otherStore: Ordering, _ otherLoad: Ordering
  ) -> Set<[Int]> {
    outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.store(1, to: x, store)
        t.observe(try t.load(y, load))
      }
      p.thread("second") { t in
        try t.store(1, to: y, otherStore)
        t.observe(try t.load(x, otherLoad))
      }
    }
  }

  private let strong: Set = [[0, 1], [1, 0], [1, 1]]

  @Test(arguments: Ordering.ofStores, Ordering.ofLoads)
  func sbIsExcludedOnlyIfAllFourAreSequentiallyConsistent(store: Ordering, load: Ordering) {
    for otherStore in Ordering.ofStores {
      for otherLoad in Ordering.ofLoads {
        let all = [store, load, otherStore, otherLoad]
        let isStrong = all.allSatisfy { $0 == .sequentiallyConsistent }
        #expect(
          storeBuffering(store, load, otherStore, otherLoad)
            == (isStrong ? strong : strong.union([[0, 0]])), "\(all)")
      }
    }
  }

  @Test(arguments: Ordering.allCases, Ordering.allCases)
  func sbIsExcludedByAFenceOnEachSide(fence: Ordering, other: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.store(1, to: x, .relaxed)
        try t.fence(fence)
        t.observe(try t.load(y, .relaxed))
      }
      p.thread("second") { t in
        try t.store(1, to: y, .relaxed)
        try t.fence(other)
        t.observe(try t.load(x, .relaxed))
      }
    }
    let isStrong = fence == .sequentiallyConsistent && other == .sequentiallyConsistent
    #expect(seen == (isStrong ? strong : strong.union([[0, 0]])))
  }

  /// S3 and S4: a fence on one side, accesses on the other.
  @Test(arguments: [Ordering.sequentiallyConsistent, .acquireRelease])
  func sbIsExcludedByAFenceAgainstSequentiallyConsistentAccesses(fence: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("fenced") { t in
        try t.store(1, to: x, .relaxed)
        try t.fence(fence)
        t.observe(try t.load(y, .relaxed))
      }
      p.thread("ordered") { t in
        try t.store(1, to: y, .sequentiallyConsistent)
        t.observe(try t.load(x, .sequentiallyConsistent))
      }
    }
    let isStrong = fence == .sequentiallyConsistent
    #expect(seen == (isStrong ? strong : strong.union([[0, 0]])))
  }

  /// On x86 every locked instruction is a fence. In the model an acq_rel read-modify-write is
  /// not.
  @Test(arguments: [Ordering.acquireRelease, .sequentiallyConsistent])
  func sbIsNotExcludedByAcquireReleaseUpdates(ordering: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.exchange(x, 1, ordering)
        t.observe(try t.load(y, ordering.ofLoad))
      }
      p.thread("second") { t in
        try t.exchange(y, 1, ordering)
        t.observe(try t.load(x, ordering.ofLoad))
      }
    }
    let isStrong = ordering == .sequentiallyConsistent
    #expect(seen == (isStrong ? strong : strong.union([[0, 0]])))
  }

  /// Both threads read by a read-modify-write of one common location. Then acq_rel suffices,
  /// because one update follows the other in modification order.
  @Test func sbIsExcludedByUpdatesOfOneCommonLocation() {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y"), meeting = p.atomic("meeting")
      p.thread("first") { t in
        try t.store(1, to: x, .relaxed)
        try t.fetchAdd(meeting, 1, .acquireRelease)
        t.observe(try t.load(y, .relaxed))
      }
      p.thread("second") { t in
        try t.store(1, to: y, .relaxed)
        try t.fetchAdd(meeting, 1, .acquireRelease)
        t.observe(try t.load(x, .relaxed))
      }
    }
    #expect(seen == strong)
  }

  /// The order of the stores does not matter: a read that sees the older value comes before one
  /// that sees the newer value (S2 through reads-from, as in C++20).
  @Test(arguments: [Ordering.acquire, .sequentiallyConsistent], Ordering.ofStores)
  func iriwReadersAgreeIfTheirLoadsAreSequentiallyConsistent(load: Ordering, store: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("x") { t in try t.store(1, to: x, store) }
      p.thread("y") { t in try t.store(1, to: y, store) }
      p.thread("x first") { t in t.observe(try t.load(x, load), try t.load(y, load)) }
      p.thread("y first") { t in t.observe(try t.load(y, load), try t.load(x, load)) }
    }
    let isStrong = load == .sequentiallyConsistent
    #expect(seen.count == (isStrong ? 15 : 16))
    #expect(seen.contains([1, 0, 1, 0]) == !isStrong)
  }

  @Test(arguments: [Ordering.sequentiallyConsistent, .acquireRelease])
  func iriwReadersAgreeIfEachHasAFenceBetween(fence: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("x") { t in try t.store(1, to: x, .relaxed) }
      p.thread("y") { t in try t.store(1, to: y, .relaxed) }
      for (name, first, second) in [("x first", x, y), ("y first", y, x)] {
        p.thread(name) { t in
          let one = try t.load(first, .relaxed)
          try t.fence(fence)
          t.observe(one, try t.load(second, .relaxed))
        }
      }
    }
    let isStrong = fence == .sequentiallyConsistent
    #expect(seen.contains([1, 0, 1, 0]) == !isStrong)
    #expect(seen.count == (isStrong ? 15 : 16))
  }

  @Test(arguments: [Ordering.sequentiallyConsistent, .acquireRelease])
  func rwcNeedsAFenceInBothReaders(fence: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("writer") { t in try t.store(1, to: x, .relaxed) }
      p.thread("reader") { t in
        let first = try t.load(x, .relaxed)
        try t.fence(fence)
        t.observe(first, try t.load(y, .relaxed))
      }
      p.thread("both") { t in
        try t.store(1, to: y, .relaxed)
        try t.fence(fence)
        t.observe(try t.load(x, .relaxed))
      }
    }
    #expect(seen.contains([1, 0, 0]) == (fence != .sequentiallyConsistent))
  }

  @Test(arguments: [Ordering.sequentiallyConsistent, .acquireRelease])
  func rNeedsAFenceInBothThreads(fence: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.store(1, to: x, .relaxed)
        try t.fence(fence)
        try t.store(1, to: y, .relaxed)
      }
      p.thread("second") { t in
        try t.store(2, to: y, .relaxed)
        try t.fence(fence)
        t.observe(try t.load(x, .relaxed))
      }
      p.observeAtEnd(y)
    }
    let strong: Set = [[0, 1], [1, 1], [1, 2]]
    #expect(seen == (fence == .sequentiallyConsistent ? strong : strong.union([[0, 2]])))
  }

  /// C++20 no longer puts a happens-before edge between a seq_cst store and other seq_cst
  /// operations into S unless the edge is strong. C++11 forbade this outcome.
  @Test(arguments: [Ordering.release, .sequentiallyConsistent])
  func z6UFollowsTheRepairedStandard(middle: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.store(1, to: x, .sequentiallyConsistent)
        try t.store(1, to: y, middle)
      }
      p.thread("second") { t in
        t.observe(
          try t.fetchAdd(y, 1, .sequentiallyConsistent), try t.load(y, .relaxed))
      }
      p.thread("third") { t in
        try t.store(3, to: y, .sequentiallyConsistent)
        t.observe(try t.load(x, .sequentiallyConsistent))
      }
    }
    #expect(seen.contains([1, 3, 0]) == (middle == .release))
  }

  /// The second thread sees the relaxed store, yet its seq_cst load comes before the seq_cst
  /// store in S. A model that executes operations in the order of S misses this.
  @Test(arguments: Ordering.ofStores, Ordering.ofLoads)
  func aRelaxedStoreMayOvertakeASequentiallyConsistentOne(store: Ordering, load: Ordering) {
    let seen = outcomes { p in
      let x = p.atomic("x"), y = p.atomic("y")
      p.thread("first") { t in
        try t.store(1, to: x, .sequentiallyConsistent)
        try t.store(1, to: y, store)
      }
      p.thread("second") { t in
        t.observe(try t.load(y, load), try t.load(x, .sequentiallyConsistent))
      }
    }
    let strong: Set = [[0, 0], [0, 1], [1, 1]]
    #expect(seen == (store.releases && load.acquires ? strong : strong.union([[1, 0]])))
  }
}
